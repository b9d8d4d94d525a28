#!/bin/sh
# Stands for `apptainer`: records its arguments in the file `log` of its folder, and runs programs on this machine. `env -0` shows the
# variables of the first call.
folder=${0%/*}
[ -e "$folder/variables" ] || env -0 > "$folder/variables"
case "$1 $2" in
"version ") echo 1.4.0 ;;
"instance start")
    printf '%s\n' "$*" >> "$folder/log"
    for name in "$@"; do :; done
    : > "$folder/$name"
    echo "INFO:    instance started successfully" >&2
    ;;
"instance stop")
    printf '%s\n' "$*" >> "$folder/log"
    [ -e "$folder/$3" ] || { echo "FATAL:   no instance found with name $3" >&2; exit 255; }
    rm "$folder/$3"
    ;;
"exec "*)
    options=
    while :; do
        case $1 in
        instance://*) break ;;
        esac
        options="$options$1 "
        shift
    done
    printf '%s%s\n' "$options" "$1" >> "$folder/log"
    [ -e "$folder/${1#instance://}" ] || { echo "FATAL:   no instance found with name ${1#instance://}" >&2; exit 255; }
    shift
    exec "$@"
    ;;
*) echo "unknown command: $1 $2" >&2; exit 1 ;;
esac
