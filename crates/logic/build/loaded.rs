//! Asks a Z3 library for its version by loading it: neither its name nor the files beside it are sure to tell.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::Result;
use crate::pin::Version;

// The dynamic loader's interface, the same on every Unix that we know.
unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// Resolve everything at once, so that a library that can't run here is found out now.
const RTLD_NOW: c_int = 2;

/// `Z3_get_version` of Z3's C interface.
type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);

/// The version that the library itself gives.
pub(crate) fn version(library: &Path) -> Result<Version> {
    let file = CString::new(library.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: both texts end with a zero byte. Loading runs the library's initialisers, as every use of it would.
    let symbol = unsafe {
        let handle = dlopen(file.as_ptr(), RTLD_NOW);
        if handle.is_null() {
            return Err(loader_error());
        }
        dlsym(handle, c"Z3_get_version".as_ptr())
    };
    if symbol.is_null() {
        return Err(loader_error());
    }
    let (mut version, mut revision): (Version, c_uint) = ([0; 3], 0);
    let [major, minor, patch] = &mut version;
    // SAFETY: this is the type of the function of that name in every release of Z3; it writes four numbers.
    unsafe {
        let get_version = std::mem::transmute::<*mut c_void, GetVersion>(symbol);
        get_version(major, minor, patch, &mut revision);
    }
    Ok(version)
}

fn loader_error() -> String {
    // SAFETY: the answer is null or a text that stays until the loader is called again, and it is copied before that.
    unsafe {
        let message = dlerror();
        if message.is_null() {
            "this library can't be loaded".to_owned()
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        }
    }
}
