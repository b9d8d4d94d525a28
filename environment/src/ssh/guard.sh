# Ends the programs of an environment when its host has ended, or has not come back after the connection was lost. Runs in any POSIX
# shell until it reads the line `end`.
#
# Arguments: the beginning of the tokens of the programs, the process that does the same since an earlier connection or nothing, how many
# seconds the programs run on, and `end.sh`.
[ -n "$2" ] && grep -qsF "$1" "/proc/$2/cmdline" && kill "$2"
trap : HUP PIPE
echo "ready $$"
read -r toolc_line
[ "$toolc_line" = end ] && exit
exec < /dev/null > /dev/null 2>&1
sleep "$3" &
trap 'kill "$!"; exit' TERM
wait "$!"
exec sh -c "$4" toolc end "$1"
