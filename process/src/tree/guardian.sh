# The guardian of a host: a process that ends the host's commands when the host has ended, however that happened.
#
# Only the host holds the other end of standard input, so the end of input is the end of the host. Until then this process waits,
# and the host sends it the process groups of its commands: `+ GROUP`, `- GROUP`, and `=` to forget all. If the host marks its
# commands, $1 is the mark, and all processes with the mark are ended instead: a process can leave its group, but not its mark. $2 is
# where proc is mounted.
#
# Runs in any POSIX shell. Uses `grep` and `sleep` if they exist: without `grep` a search takes longer, and without `sleep`
# processes have less time to end by themselves.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE
mark=$1 proc=$2 groups=

while read -r change group; do
    case $change in
    =) groups= ;;
    +) groups="$groups $group" ;;
    -)
        others=
        for other in $groups; do [ "$other" = "$group" ] || others="$others $other"; done
        groups=$others
        ;;
    esac
done

# Succeeds if the process $1 has the mark.
is_marked() {
    while read -r first second third _ hard _; do
        [ "$first $second $third" = "Max file locks" ] || continue
        [ "$hard" = "$mark" ] && return 0
        return 1
    done 2> /dev/null < "$proc/$1/limits"
    return 1
}

# Succeeds if the process $1 is alive. A zombie (Z) is not, unless it has other threads.
is_alive() {
    stat=
    while IFS= read -r line; do stat="$stat $line"; done 2> /dev/null < "$proc/$1/stat"
    # The name before `)` may contain anything.
    set -- ${stat##*)}
    case ${1-X} in
    X) return 1 ;;
    Z) [ "${18-0}" -gt 1 ] ;;
    esac
}

# Sends the signal $1 to all processes. Succeeds if there is one. With $2 = quick, `grep` looks for them, which needs new processes and
# takes a twentieth of the time. The last file is that of this process, whose mark `grep` also finds: if its name is missing, `grep` has
# not looked at all files, for example because it could not be started.
send() {
    found=1 complete=
    if [ -z "$mark" ]; then
        for group in $groups; do kill -s "$1" -- "-$group" 2> /dev/null && found=0; done
        return $found
    fi
    files=$proc'/[0-9]*/limits'
    if [ "$2" = quick ]; then
        locks='^Max file locks .*'
        files=$(grep -ls -e "$locks $mark " -e "$locks $((mark - 1)) " $files "$proc/./$$/limits")
        case $files in *"$proc/./$$/limits") complete=yes ;; esac
    fi
    for file in $files; do
        pid=${file#"$proc/"}
        pid=${pid%/limits}
        # Look again directly before the signal: the process may have ended, and another may have its id.
        if is_alive "$pid" && is_marked "$pid"; then
            found=0
            kill -s "$1" "$pid" 2> /dev/null
        fi
    done
    return $found
}

# Sends the signal $1 to all processes, also to those that a failed `grep` did not find. Succeeds if there is one.
look() {
    send "$1" "${quick:-slow}" && return 0
    [ -z "$complete" ] && send "$1" slow
}

# A third of a second after SIGTERM comes SIGKILL, repeatedly, because a process may start others in the meantime. Processes that are
# left after that, such as those of another user, cannot be ended from here.
#
# The commands may have used up the processes that the user can have. So a look that could start no process is followed by one that
# needs none. In some shells, the failure to start a process ends the shell: see the trap.
end_commands() {
    round=0
    while [ "$round" -lt 50 ]; do
        case $round in
        0) signal=TERM ;;
        [1-3]) signal=0 ;;
        *) signal=KILL ;;
        esac
        # The second look finds a process that was started during the first.
        look $signal || look $signal || break
        [ -z "$quick" ] || sleep 0.1 2> /dev/null
        round=$((round + 1))
    done
}

quick=quick
command -v grep > /dev/null || quick=slow
trap 'trap - EXIT; quick=; end_commands' EXIT
end_commands
trap - EXIT
