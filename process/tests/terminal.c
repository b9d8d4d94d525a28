/* Tries to write to the terminal of the host and to type into it. Says how that went. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void) {
    char key = 'y';
    int terminal = open("/dev/tty", O_RDWR);
    printf("/dev/tty: %s\n", terminal < 0 ? "none" : "open");
    for (int fd = 0; fd < 256; fd++) {
        if (!isatty(fd)) continue;
        const char *write_result = write(fd, "by the command", 14) == 14 ? "written" : "not written";
        printf("terminal: %s, %s\n", write_result, ioctl(fd, TIOCSTI, &key) == 0 ? "typed" : "not typed");
    }
    return 0;
}
