//! Calls of Python that may not return: until version 3.14, Python ends a thread within a call if the interpreter ends
//! meanwhile.
//!
//! Python does so with `pthread_exit`, which unwinds the stack of the thread. It must not unwind a frame of Rust: the process
//! would abort. So the thread is parked for ever, as Python 3.14 does, and ends with the process.
#![allow(
    unsafe_code,
    reason = "PyO3 declares functions of Python as functions that do not unwind, which removes what runs when they do"
)]

use pyo3::BoundObject;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ptr;
use std::thread;

unsafe extern "C-unwind" {
    /// The stable interface has this function since its beginning. The arguments end with a null pointer.
    fn PyObject_CallMethodObjArgs(object: *mut PyObject, name: *mut PyObject, ...)
    -> *mut PyObject;
}

/// Parks the thread when it is dropped.
struct ParkThread;

impl Drop for ParkThread {
    fn drop(&mut self) {
        loop {
            thread::park();
        }
    }
}

/// Calls a method with one argument. Does not return if the interpreter ends meanwhile.
pub(crate) fn method<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    argument: impl IntoPyObject<'py, Error: Into<PyErr>>,
) -> PyResult<Bound<'py, PyAny>> {
    let argument = argument.into_pyobject(object.py()).map_err(Into::into)?;
    let argument = argument.into_any();
    let argument = argument.as_borrowed();
    let park = ParkThread;
    // SAFETY: the thread is attached to the interpreter, as it has bound objects, and these live until the call returns.
    let result = unsafe {
        PyObject_CallMethodObjArgs(
            object.as_ptr(),
            name.as_ptr(),
            argument.as_ptr(),
            ptr::null_mut::<PyObject>(),
        )
    };
    std::mem::forget(park);
    // SAFETY: the function returns an object that is the caller's, or null if it raised.
    unsafe { Bound::from_owned_ptr_or_err(object.py(), result) }
}
