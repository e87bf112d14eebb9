package claude

import (
	"regexp"
	"strings"
)

// options are the options with which a command needs no permission (measured on
// 2.1.332, 2026-11-30: 1,700 spellings). NAME= takes a value, in the same word
// behind = or in the next; -A# takes a number in the same word; -# is a number.
// Options of one letter may stand together. Another option is asked for.
var options = map[string]string{
	"git log": `--oneline --graph --all --decorate --stat --numstat --shortstat --name-only --name-status --patch -p --no-patch -s
		--color --no-color --format= --pretty= --abbrev-commit --since= --until= --after= --before= --author= --committer= --grep=
		--merges --no-merges --first-parent --reverse --follow --max-count= -n= --skip= --date= --topo-order --date-order
		--pickaxe-regex --pickaxe-all --diff-filter= --cherry-pick --left-right --branches --tags --remotes --full-history --no-walk
		--source --walk-reflogs --boundary --ancestry-path --no-ext-diff --no-decorate -S= -G= -#`,
	"git diff": `--stat --numstat --shortstat --name-only --name-status --cached --staged --color --no-color --word-diff
		--ignore-all-space --ignore-space-change --ignore-blank-lines --summary -p -s --check --exit-code --quiet -R -M -C
		--find-renames --no-renames --diff-filter= --binary --full-index --minimal --histogram --patience --diff-algorithm= --dirstat
		--color-words --no-index --no-ext-diff --inter-hunk-context= --function-context -S= -G= -O= --relative=`,
	"git show": `--stat --name-only --name-status --oneline --format= --pretty= --no-patch -s -p --patch --color --no-color
		--abbrev-commit --numstat --shortstat --raw --word-diff --date= --first-parent -m --diff-filter= --quiet -#`,
	"git status": `-s --short -b --branch --porcelain --long -v --verbose --untracked-files= --ignored --column --no-column
		--ahead-behind --renames`,
	"git branch": `-a --all -r --remotes -v -vv --verbose -l --list --contains= --no-contains= --merged --no-merged --points-at=
		--sort= --color --no-color --column --show-current --abbrev= -i --ignore-case`,
	"git tag": `-l --list --contains= --no-contains= --merged= --no-merged= --sort= --points-at= --column -i -n=`,
	"git blame": `-w -M -C -s -e -f -n -l -t -p --porcelain --line-porcelain --date= --root --show-stats --show-email --abbrev=
		--ignore-rev= --incremental -L=`,
	"git ls-files": `-c -d -m -o -i -s -u -k -z -t -v --cached --deleted --modified --others --ignored --stage --exclude-standard
		--full-name --error-unmatch --eol --directory --exclude= --exclude-from= -x= -X= --abbrev= --recurse-submodules`,
	"git rev-parse": `--abbrev-ref --verify --short= --show-toplevel --git-dir --is-inside-work-tree --symbolic --symbolic-full-name
		--show-prefix --show-cdup --absolute-git-dir --git-common-dir --is-bare-repository --is-shallow-repository`,
	"git rev-list": `--count --all --max-count= -n= --skip= --since= --author= --oneline --reverse --merges --no-merges --first-parent
		--branches`,
	"git grep": `-n -i -l -w -E -F -P -c -v -h -H -o -q -L --cached --untracked --count --line-number --heading --break --color
		--max-depth= --no-index --recurse-submodules --and --or -A= -B= -C= -e= --context= --threads=`,
	"git shortlog":     `-s -n -e -c --summary --numbered --email --no-merges --since= --author= --group= --all`,
	"git reflog":       `--oneline --all --date= -n= --max-count= -#`,
	"git stash list":   `--oneline --date= -n= --max-count= -#`,
	"git stash show":   `-p --patch --stat --name-only --numstat`,
	"git ls-remote":    `--heads --tags --refs -q --quiet --exit-code --get-url --symref --sort=`,
	"git describe":     `--tags --always --long --dirty --abbrev= --exact-match --match= --exclude= --contains --candidates=`,
	"git cat-file":     `-t -s -p -e --batch-check`,
	"git for-each-ref": `--format= --sort= --count= --points-at= --contains= --merged=`,
	"git merge-base":   `--all --is-ancestor --octopus --independent --fork-point`,
	"git worktree":     `--porcelain -v --verbose --expire=`,
	"git config":       `-z --local --global --type=`,
	"rg": `-i -v -c -l -n -w -F -o -q -S -u -L -H -h --hidden --no-ignore --json --heading --no-heading --stats --follow --column --debug
		--type-list --files-with-matches --line-number --type= --color= --max-depth= --glob= --context= -e= -A= -B= -C= -m= -g= -t=
		-T= -d= -f= -A# -B# -C# -m# -d#`,
	"grep": grepOptions, "egrep": grepOptions, "fgrep": grepOptions,
	"sort": `-n -r -u -f -b -d -g -h -i -M -V -R -c -C -m -s -z --unique --reverse --numeric-sort --check --stable --parallel= --key=
		--field-separator= --batch-size= -k= -t= -S=`,
	"file": `-b -i -L -h -k -r -s -c -p -n -0 -l --mime --mime-type --brief --dereference --version -F=`,
	"ps":   `-e -f -A -a -l -H -T -L -w -j -N -y --forest --no-headers --sort= -p= -C= -t= -U= -u= -G=`,
	"date": `-u -R -I --utc --universal --debug --rfc-email --date= --reference= --rfc-3339= -d= -r=`,
	"tree": `-a -d -f -i -s -h -u -g -p -D -C -n -F -q -N -r -t -c -U -S -J -X -l -x -Q --noreport --dirsfirst --filelimit= --gitignore
		--prune --du --sort= --matchdirs --charset= --fromfile --ignore-case --inodes --device -L= -P= -I=`,
	"lsof":    `-i -n -P -t -F -a -U -l -s -T -b -o -v -R -V -iTCP -p= -u= -c=`,
	"man":     `-a -w -d --all -k= -s=`,
	"base64":  `-d -D -h --decode --ignore-garbage --version --wrap= -w=`,
	"netstat": `-a -n -l -r -i -s -v -g -I=`,
	"ss":      `-a -n -t -u -l -p -s -e -m -i -4 -6 -o -x -w -H -O -f= -A=`,
	"pgrep":   `-l -a -f -c -v -x -i -L --full --list-full -u= -d= -P= -g= -s= -t= -U= -F= --ns=`,
	"fd": `-H -I -g -i -s -a -L -0 -p -F -1 -q -e= --hidden --glob --no-ignore --absolute-path --full-path --type= --extension= --max-depth=
		--exclude= --changed-within= --size= --max-results= --base-directory= --search-path=`,
	"docker ps":      `-a -q -l -s -f -n1 -n= --filter= --format= --no-trunc --all --quiet`,
	"docker images":  `-a -q --digests --filter= --format= --no-trunc`,
	"docker logs":    `-t -f --tail= --since= --until= --details --follow --timestamps`,
	"docker inspect": `-s --size --format= --type= -f=`,
	"uniq":           `-c -d -u -i -D -z --count --repeated --unique -f= -s= -w=`,
	"which":          `-a -s`,
	"help":           `-d`,
	"tput":           `-T=`,
	"xargs":          `-0 -r -t -n= -P= -d= -L= -s=`,
}

const grepOptions = `-i -v -c -l -L -n -r -R -w -x -E -F -P -o -q -s -h -H -a -I -z -Z -U -b -T --no-messages --line-number --recursive
	--null --files-with-matches --perl-regexp --include= --exclude= --exclude-dir= --max-count= --binary-files= --label= --color=
	-A= -B= -C= -m= -e= -f= -A# -B# -C# -m#`

var (
	digits        = regexp.MustCompile(`^\d+$`)
	number        = regexp.MustCompile(`^-\d+$`)
	attached      = regexp.MustCompile(`^(-[A-Za-z])\d+$`)
	lettersOnly   = regexp.MustCompile(`^-[A-Za-z0-9]{2,}$`)
	knownOptions  = map[string]map[string]bool{}
	bsdStyle      = regexp.MustCompile(`^[abcdfghijklmnopqrstuvwxyz]+$`) // of ps, without e, which prints environments
	jqReadsMore   = regexp.MustCompile(`\$ENV\b|\benv\b|\bimport\b|\binclude\b|\bsystem\b`)
	terminalNames = set(`cols lines colors bold sgr0 setaf cup longname`)
)

func init() {
	for name, list := range options {
		knownOptions[name] = set(list)
	}
}

// olderOptions were known besides in 2.1.197 (measured 2026-12-01).
var olderOptions = map[string]map[string]bool{"file": set("-m= -f="), "help": set("-m -s"), "which": set("-i"), "rg": set("-.")}

// knowsOptions splits the arguments of a command into options, which must all be
// known, and the others.
func knowsOptions(name string, args []word, version string) (others []word, ok bool) {
	known := knownOptions[name]
	older := olderOptions[name]
	if version != V197 {
		older = nil
	}
	for i := 0; i < len(args); i++ {
		t := args[i].text
		option, _, valued := strings.Cut(t, "=")
		switch {
		case t == "--":
			return append(others, args[i+1:]...), true
		case !strings.HasPrefix(t, "-") || t == "-":
			others = append(others, args[i])
			if name == "xargs" {
				return args[i:], true
			}
		case known[t], older[t], valued && known[option+"="], number.MatchString(t) && known["-#"]:
		case known[t+"="], older[t+"="]:
			if i++; i == len(args) {
				return nil, false
			}
		case attached.MatchString(t) && known[attached.FindStringSubmatch(t)[1]+"#"]:
		case lettersOnly.MatchString(t) && letters(t[1:], known):
		default:
			return nil, false
		}
	}
	return others, true
}

func letters(list string, known map[string]bool) bool {
	for _, c := range list {
		if !known["-"+string(c)] {
			return false
		}
	}
	return true
}
