# Ends the processes of programs in an environment, or reports whether any of them runs. Runs in any POSIX shell, and needs `grep`, `tr`,
# `sleep` and `/proc`.
#
# Arguments: `end` or `find`, and for each program, the value of its variable TOOLC_PROGRAM (the token) or a prefix of it, and the number of
# its session if it is known. A process that has left the session and cleared its variables is not found.
mode=$1
shift
all=" $* "
tokens=
for word in "$@"; do
    case $word in *[!0-9]*) tokens="$tokens -e TOOLC_PROGRAM=$word" ;; esac
done

# Sends the signal $1 to every process of the programs. Succeeds if at least one process was found.
send() {
    found=1
    marked=" $(grep -lsF $tokens /proc/[0-9]*/environ | tr '\n' ' ')"
    for folder in /proc/[0-9]*; do
        { read -r stat < "$folder/stat"; } 2> /dev/null || continue
        pid=${folder#/proc/}
        set -- "$1" ${stat##*)}
        # $2 to $5 are the state, the parent, the group and the session. A zombie has ended.
        case $2 in Z | X) continue ;; esac
        case $all in
        *" $5 "*) ;;
        *) case $marked in *" $folder/environ "*) ;; *) continue ;; esac ;;
        esac
        found=0
        kill -s "$1" "$pid" 2> /dev/null
    done
    return $found
}

pause() { sleep 0.1 2> /dev/null || sleep 1; }

if [ "$mode" = find ]; then
    send 0 && echo running
    exit 0
fi
send TERM || exit 0
round=0
while [ "$round" -lt 10 ]; do
    send 0 || exit 0
    pause
    round=$((round + 1))
done
# Repeat, because a process may start further processes in the meantime.
while [ "$round" -lt 40 ]; do
    send KILL || send KILL || exit 0
    pause
    round=$((round + 1))
done
exit 1
