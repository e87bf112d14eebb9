package lint

import "path"

// Programs that print, or change, the files that stand in their arguments.
var (
	readers = set("cat bat head tail less more grep egrep fgrep rg ag ack sed awk gawk cut sort uniq strings xxd od hexdump nl tac diff cmp base64 jq yq wc paste column find")
	writers = set("tee sed cp mv rm rmdir touch dd truncate chmod chown install ln patch mkdir rsync shred")
)

// Reads reports whether a program prints the files in its arguments.
func Reads(program string) bool { return readers[path.Base(program)] }

// Writes reports whether a program changes the files in its arguments.
func Writes(program string) bool { return writers[path.Base(program)] }
