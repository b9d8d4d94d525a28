# Runs a program in an environment, and reports its start and end. Runs in any POSIX shell.
#
# Arguments: TOKEN, `merged`, `apart` or the size of the terminal (`ROWS COLUMNS`), DIRECTORY, what is known about it, changes of variables (`NAME=VALUE`, or
# `-NAME` to remove one), `--`, and the program with its arguments. A report begins with \036 and the token, anywhere on standard output,
# and extends to the end of the line. What is known is `any` for nothing, `exact` if no link may be in the path, or the device and the inode
# of the folder (`DEVICE:INODE`), whose path then also has no links. Separate standard error begins after \036, the token and a line break.
toolc_token=$1 toolc_output=$2
report() { printf '\036%s %s\n' "$toolc_token" "$1"; }
cd -P -- "$3" 2> /dev/null || { report no-directory; exit 1; }
case $4 in
any) toolc_same=1 ;;
*:*) [ "$PWD" = "$3" ] && [ "$(stat -c %d:%i .)" = "$4" ] && toolc_same=1 ;;
*) [ "$PWD" = "$3" ] && toolc_same=1 ;;
esac
[ "$toolc_same" ] || { report other-directory; exit 1; }
unset toolc_same
shift 4
while [ "$1" != -- ]; do
    case $1 in
    -*) unset "${1#-}" ;;
    *) export "$1" ;;
    esac
    shift
done
shift
command -v "$1" > /dev/null 2>&1 || { report no-program; exit 1; }
# `end.sh` finds the processes of the program by this variable, and by their session.
export TOOLC_PROGRAM="$toolc_token"
toolc_session=$$
{ read -r toolc_stat < /proc/self/stat; } 2> /dev/null && toolc_session=$(set -- ${toolc_stat##*)}; echo "$4")
case $toolc_output in
apart) printf '\036%s\n' "$toolc_token" >&2 ;;
# The client may set the size later.
*\ *) stty rows "${toolc_output% *}" cols "${toolc_output#* }" 2> /dev/null ;;
*) exec 2>&1 ;;
esac
report "begins ${toolc_session:-$$}"
# A signal for the whole session must not end this shell before its report. The subshell resets the traps.
trap : HUP INT QUIT TERM
# Some shells print a message when a signal kills the program.
exec 3>&2 2> /dev/null
(exec "$@") 2>&3 3>&-
toolc_code=$?
report "ends $toolc_code"
exit "$toolc_code"
