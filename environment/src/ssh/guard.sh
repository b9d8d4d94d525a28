# Ends the programs of an environment if its host has ended, or does not reconnect after the connection was lost. Runs in any POSIX shell
# until it reads the line `end`.
#
# Arguments: the prefix of the tokens of the programs, the id of the previous guard or nothing, how many seconds the programs may continue
# to run without a connection, and `end.sh`.
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
