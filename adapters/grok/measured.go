package grok

// measuredPlain are the commands that were seen not to be on the read-only list of
// 1.0.41: they ask in default. Of others that is assumed.
var measuredPlain = set(". LS alias apt-get arch at awk aws base64 basename bash brew bun bundle cal cargo case cat catx cd chattr " +
	"chgrp chmod chown cmake cmp code column comm command coproc cp crontab curl dd declare deno df diff dig " +
	"dirname doas docker dotnet du echo ed env eslint eval exec expand export expr false fd file find fold for free " +
	"function gcc gh git go gofmt gradle grep groups gzip head helm help history host id if ifconfig install ip " +
	"java javac jest jobs join jq kill killall kubectl last let ln locale ls ls-files lscpu lsof lsx make md5sum " +
	"mkdir mkfs mktemp mount mv mvn mytool nano nc netstat nice ninja nl node nohup npm nproc npx nslookup od open " +
	"paste patch perl php ping pip pip3 pkill pnpm poetry prettier printenv psql pytest python python3 rake " +
	"readlink realpath rev rg rm rmdir rsync ruby rustc scp sed seq setsid sh sha256sum shred shuf sort source " +
	"sqlite3 ss ssh stat strings sudo swift systemctl tac tar taskset tee terraform test time timeout top touch " +
	"tput trap tree true truncate tsc tty type ulimit umask uname uniq unlink unset unzip uv vim vitest vmstat w " +
	"wait wget which who xargs xcodebuild xdg-open xxd yarn zsh")
