"""Reading and writing of files: complete or not at all, with errors for users."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Self, TypeAlias

from cranfield.errors import CranfieldError, FileError

Data: TypeAlias = bytes | Iterable[bytes]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file."""
    try:
        with open(path, "rb") as file:
            register_input(os.fstat(file.fileno()), os.fspath(path))
            return file.read()
    except OSError as error:
        raise FileError("read", os.fspath(path), error.strerror or str(error)) from error


def hash_file(path: str | os.PathLike[str]) -> str | None:
    """Return the SHA-256 of a file in hexadecimal, or None if it is not a file."""
    import hashlib

    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def write_whole(path: str | os.PathLike[str], data: Data) -> None:
    """Write a file. After an error, it has its previous content."""
    _write_files({os.fspath(path): data})


def write_all(contents: Mapping[str, Data]) -> None:
    """Write files, and create their directories. Either all are written or none.

    Files are renamed in this order: if the last one exists, all are complete. If a file cannot be
    written, the created directories are removed.
    """
    with ExitStack() as stack:
        for directory in dict.fromkeys(os.path.dirname(path) or "." for path in contents):
            _make_directory(directory, stack)
        _write_files(contents)
        stack.pop_all()


def _make_directory(directory: str, stack: ExitStack) -> None:
    """Create a directory and its parents. `stack` removes those that stay empty."""
    parent = os.path.dirname(directory)
    if parent and not os.path.isdir(parent):
        _make_directory(parent, stack)
    new = not os.path.isdir(directory)
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CranfieldError(f"cannot make {directory}: {reason}") from error
    if new:
        stack.callback(_remove_empty, directory)


def _remove_empty(directory: str) -> None:
    with suppress(OSError):
        os.rmdir(directory)


def _write_files(contents: Mapping[str, Data]) -> None:
    """Write to temporary files on the same file system, then rename all of them.

    Pipes and devices such as ``/dev/stdout`` are written to directly. A link stays a link.
    """
    for path in contents:
        check_writable(path)
        if get_file_id(path) in _inputs:
            raise FileError("write", path, "it is also an input. Use another file name.")
    real = {path: os.path.realpath(path) for path in contents}
    directories = _create_temporary([os.path.dirname(x) for x in real.values()])
    complete: dict[str, str] = {}
    path = ""
    try:
        with ExitStack() as stack:
            for number, (path, data) in enumerate(contents.items()):
                if os.path.exists(path) and not os.path.isfile(path):
                    _fill(path, "wb", data)
                    continue
                place = directories[os.path.dirname(real[path])]
                if not os.path.isdir(place.path):
                    stack.enter_context(place)
                complete[path] = os.path.join(place.path, str(number))
                _fill(complete[path], "xb", data, original=real[path])
            for path, temporary in complete.items():
                os.replace(temporary, real[path])
    except OSError as error:
        raise FileError("write", path, _explain_error(path, error)) from error


def check_writable(path: str) -> None:
    """Raise an error if a file is read-only, or its name is a link loop."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if error.errno == errno.ELOOP:
            reason = "its links form a loop. Use another file name."
            raise FileError("write", path, reason) from None
        return  # the file is new, or writing will show the reason
    if stat.S_ISREG(mode) and not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        reason = "file is read-only. Use another file name, or make it writable."
        raise FileError("write", path, reason)


def check_not_inputs(outputs: Iterable[str], inputs: Iterable[str], whole_directories: bool = False) -> None:
    """Raise an error if an output is also an input, directly or through links.

    The files of an input directory are those in topic directories, ``DIR/0001/0001.rel``, or all
    files below it.
    """
    existing = {path: get_file_id(path) for path in outputs if os.path.isfile(path)}
    for name in inputs if existing else ():
        file = get_file_id(name.removeprefix("file://"))
        for path, file_id in existing.items():
            if file_id == file:
                reason = f"it is also an input ({name}). Use another file name."
                raise FileError("write", path, reason)
            if _is_below(path, name.removeprefix("file://"), whole_directories):
                reason = f"it is a file of the input directory {name}. Use another file name."
                raise FileError("write", path, reason)


def get_file_id(path: str) -> object:
    """Return an id that all names of a file share, or the real path if it is missing."""
    try:
        return _get_file_numbers(os.stat(path))
    except (OSError, ValueError):
        return os.path.realpath(path)


def _get_file_numbers(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _is_below(path: str, directory: str, recursive: bool) -> bool:
    """Return True if a file belongs to an input directory.

    ``DIR/*.rel`` and ``DIR/run`` also name a topic directory.
    """
    if "*" in directory or not os.path.exists(directory):
        directory, recursive = os.path.dirname(directory), False
    if not directory or not os.path.isdir(directory):
        return False
    parts = os.path.relpath(os.path.realpath(path), os.path.realpath(directory)).split(os.sep)
    return parts[0] != os.pardir and (recursive or len(parts) == 2)


_inputs: set[object] = set()  # files that the running command has read
_protecting = False


@contextmanager
def track_inputs() -> Iterator[None]:
    """Prevent that files read in this context are overwritten: see `register_input`."""
    global _protecting  # noqa: PLW0603
    outer, _protecting = _protecting, True
    try:
        yield
    finally:
        _protecting = outer
        if not outer:
            _inputs.clear()


def register_input(status: os.stat_result, path: str) -> None:
    """Store the id of a file that is read, if inputs are tracked, and its path, if a record is made."""
    if _protecting:
        _inputs.add(_get_file_numbers(status))
    if _log is not None:
        _log.paths[path] = None


class InputLog:
    """Files read while a record is made: paths, how they are read, and data of standard input and pipes."""

    def __init__(self) -> None:
        self.paths: dict[str, None] = {}
        self.readings: dict[str, Any] = {}
        self.data: dict[str, bytes] = {}


_log: InputLog | None = None


@contextmanager
def log_inputs() -> Iterator[InputLog]:
    """Log the files that are read in this context, in all threads."""
    global _log  # noqa: PLW0603
    outer, _log = _log, InputLog()
    try:
        yield _log
    finally:
        _log = outer


def log_reading(path: str, reading: Any) -> None:
    """Store how a file is read, if a record is made."""
    if _log is not None:
        _log.readings[path] = reading


def log_data(path: str, data: bytes) -> None:
    """Store the bytes of standard input or a pipe, if a record is made."""
    if _log is not None:
        _log.data[path] = data


@contextmanager
def arrange_files(paths: Mapping[str, str]) -> Iterator[str]:
    """Yield a temporary directory with links to files, by their paths in the directory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="cranfield-") as directory:
        for name, path in paths.items():
            link = os.path.join(directory, *name.split("/"))
            os.makedirs(os.path.dirname(link), exist_ok=True)
            try:
                os.symlink(os.path.abspath(path), link)
            except OSError:  # Windows without the right to make links
                import shutil

                shutil.copyfile(path, link)
        yield directory


def _fill(path: str, mode: str, data: Data, original: str | None = None) -> None:
    """Write all data, with the permissions of the original file."""
    with open(path, mode) as file:
        if original is not None and os.path.exists(original):
            os.chmod(path, stat.S_IMODE(os.stat(original).st_mode))
        file.writelines([data] if isinstance(data, bytes) else data)


# -- where files are written before they have their names -----------------------------------------


def _create_temporary(directories: Collection[str]) -> dict[str, TemporaryDirectory]:
    """Map each directory to a temporary directory, shared by siblings."""
    siblings = Counter(os.path.dirname(directory) for directory in {*directories})
    shared = {x for x, count in siblings.items() if count > 1 and os.access(x, os.W_OK)}
    parents = {x: os.path.dirname(x) if os.path.dirname(x) in shared else x for x in directories}
    created = {parent: TemporaryDirectory(parent) for parent in parents.values()}
    return {directory: created[parent] for directory, parent in parents.items()}


class TemporaryDirectory(ExitStack):
    """Directory inside another, removed with its content at the end.

    It is locked and contains a marker with its own name. A marked directory that no process has
    locked was left by a killed process, and is removed.
    """

    def __init__(self, parent: str) -> None:
        super().__init__()
        self.parent = parent
        # Short, because the name of the parent may already be as long as the file system allows.
        self.path = os.path.join(parent, f".cranfield-{os.urandom(8).hex()}.tmp")

    def __enter__(self) -> Self:
        with suppress(OSError):  # the parent need not be readable
            _remove_leftovers(self.parent)
        os.mkdir(self.path, 0o700)
        try:
            self._mark_and_lock()
        except BaseException:
            self.close()
            _remove_empty(self.path)
            raise
        return super().__enter__()

    def _mark_and_lock(self) -> None:
        """Lock and mark the directory.

        Without locks, no directory is removed as left over.
        """
        if not _DESCRIPTORS:
            self.callback(_remove_by_path, self.path)
            return
        directory = _open_directory(self.path)
        self.callback(os.close, directory)
        self.callback(_remove, directory, self.path)
        with suppress(OSError):  # some file systems have no locks
            _lock(directory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(os.open(_MARKER, flags, 0o600, dir_fd=directory), "wb") as file:
                file.write(_mark(os.path.basename(self.path)))


_TEMPORARY_NAME = re.compile(r"\.cranfield-[0-9a-f]{16}\.tmp")
_MARKER = "cranfield"
_DESCRIPTORS = os.unlink in os.supports_dir_fd and os.listdir in os.supports_fd  # not on Windows


def _mark(name: str) -> bytes:
    """Return the content of the marker of a directory."""
    return f"temporary directory {name} of cranfield\n".encode()


def _open_directory(name: str, parent: int | None = None) -> int:
    """Return a descriptor of a directory. Links are not followed."""
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _lock(directory: int, wait: bool = True) -> None:
    """Lock a directory until its descriptor is closed."""
    import fcntl

    fcntl.flock(directory, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _remove_leftovers(parent: str) -> None:
    """Remove temporary directories that killed processes left."""
    if not _DESCRIPTORS:
        return
    with ExitStack() as stack:
        parent_fd = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, parent_fd)
        for name in filter(_TEMPORARY_NAME.fullmatch, os.listdir(parent_fd)):
            with suppress(OSError):
                directory = _open_directory(name, parent_fd)
                stack.callback(os.close, directory)
                _lock(directory, wait=False)
                if _is_ours(directory, name):
                    _remove(directory, name, parent_fd)


def _is_ours(directory: int, name: str) -> bool:
    """Return True if this user marked a directory, and it has only our files."""
    if os.fstat(directory).st_uid != os.geteuid():
        return False
    for file in os.listdir(directory):
        mode = os.stat(file, dir_fd=directory, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode) or not _is_our_name(file):
            return False
    marker = os.open(_MARKER, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory)
    with open(marker, "rb") as opened:
        return opened.read(1000) == _mark(name)


def _is_our_name(file: str) -> bool:
    return file == _MARKER or (file.isascii() and file.isdecimal())


def _remove(directory: int, name: str, parent: int | None = None) -> None:
    """Remove our files from an open directory, and the directory if it is then empty."""
    with suppress(OSError):
        # The marker goes last: if this process is killed, the rest is still marked.
        for file in sorted(filter(_is_our_name, os.listdir(directory))):
            os.unlink(file, dir_fd=directory)
        now = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if os.path.samestat(now, os.fstat(directory)):
            os.rmdir(name, dir_fd=parent)


def _remove_by_path(directory: str) -> None:
    """Do the same as `_remove` on systems without directory descriptors."""
    with suppress(OSError):
        if not os.path.islink(directory):
            for name in filter(_is_our_name, os.listdir(directory)):
                os.unlink(os.path.join(directory, name))
            os.rmdir(directory)


def _explain_error(path: str | os.PathLike[str], error: OSError) -> str:
    directory = os.path.dirname(os.fspath(path)) or "."
    if not os.path.isdir(directory):
        return f"there is no directory {directory}"
    if isinstance(error, PermissionError):
        return f"no permission to write in {directory}"
    return error.strerror or str(error)


def reopen_closed_streams() -> None:
    """Open closed standard streams as null devices: no file gets their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))
