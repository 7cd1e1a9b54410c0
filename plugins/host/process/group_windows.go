package process

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownGroup keeps interrupts of the console from the process: the host ends it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// guard puts a process into a job object of its own. All that it starts ends when the last handle of the job is closed: by release, or with this
// process, however it ends. Where the system allows no job, the process alone is ended.
func guard(pid int) (release func()) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return func() {}
	}
	release = func() { _ = windows.CloseHandle(job) }
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(
		job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)),
	); err != nil {
		return release
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return release
	}
	defer windows.CloseHandle(process)                 //nolint:errcheck // nothing is lost with it
	_ = windows.AssignProcessToJobObject(job, process) // where it cannot be, the process alone is ended
	return release
}

// killGroup kills a process; guard ends what it started.
func killGroup(p *os.Process) { _ = p.Kill() }
