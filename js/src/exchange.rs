//! The buffers that hosts write and read, and the calls between them.

use crate::object::{Object, Objects};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;

/// The size of the input and output buffers that are kept after a call.
const KEPT_BYTES: usize = 1 << 20;

#[derive(Default)]
struct Exchange {
    input: Vec<u8>,
    output: Vec<u8>,
    objects: Objects,
}

thread_local! {
    static EXCHANGE: RefCell<Exchange> = RefCell::default();
}

/// Returns the input buffer with space for `size` bytes, or null.
pub(crate) fn input(size: usize) -> *mut u8 {
    EXCHANGE.with_borrow_mut(|exchange| {
        let input = &mut exchange.input;
        if input.len() < size || input.len() > KEPT_BYTES {
            *input = Vec::new();
            if input.try_reserve_exact(size).is_err() {
                return std::ptr::null_mut();
            }
            input.resize(size, 0);
        }
        input.as_mut_ptr()
    })
}

pub(crate) fn output() -> *const u8 {
    EXCHANGE.with_borrow(|exchange| exchange.output.as_ptr())
}

pub(crate) fn free(object: u32) -> bool {
    EXCHANGE.with_borrow_mut(|exchange| exchange.objects.remove(object).is_some())
}

/// A call that failed: what the host shows as an error.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl ToString) -> Self {
        let message = message.to_string();
        Self { code, message }
    }

    pub(crate) fn argument(message: impl ToString) -> Self {
        Self::new("invalid_argument", message)
    }
}

/// What a function returns.
#[allow(clippy::large_enum_variant, reason = "one is alive at a time")]
pub(crate) enum Answer {
    /// A number that is not negative.
    Number(bool),
    /// A new object.
    Object(Object),
    /// Bytes in the output buffer.
    Bytes(Vec<u8>),
}

pub(crate) type Result<T = Answer> = std::result::Result<T, Failure>;

/// Returns a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result {
    serde_json::to_vec(value)
        .map(Answer::Bytes)
        .map_err(Failure::argument)
}

/// Returns the UTF-8 text of a body.
pub(crate) fn text<'a>(body: &'a [u8], name: &str) -> Result<&'a str> {
    std::str::from_utf8(body)
        .map_err(|error| Failure::argument(format!("{name} is not UTF-8: {error}")))
}

/// Calls a function with an object, the arguments and the body in the input buffer. Returns its number, the number of the new object, or
/// the length of the output; for a failure, which is in the output as JSON, its negative length.
pub(crate) fn call<A: DeserializeOwned>(
    object: u32,
    arguments: usize,
    body: usize,
    function: fn(&mut Objects, u32, A, &[u8]) -> Result,
) -> i32 {
    EXCHANGE.with_borrow_mut(|exchange| {
        let Exchange {
            input,
            output,
            objects,
        } = exchange;
        if output.capacity() > KEPT_BYTES {
            *output = Vec::new();
        }
        let answer = parts(input, arguments, body).and_then(|(arguments, body)| {
            // A function without arguments is called without them.
            let arguments = if arguments.is_empty() {
                b"{}"
            } else {
                arguments
            };
            let arguments = serde_json::from_slice(arguments).map_err(Failure::argument)?;
            function(objects, object, arguments, body)
        });
        let answer = answer.and_then(|answer| match answer {
            Answer::Number(number) => Ok(i32::from(number)),
            Answer::Object(object) => objects.insert(object),
            Answer::Bytes(bytes) => {
                *output = bytes;
                length(output)
            }
        });
        answer.unwrap_or_else(|failure| {
            *output = serde_json::to_vec(&failure).unwrap_or_default();
            length(output).map_or(-1, |length| -length)
        })
    })
}

fn length(output: &[u8]) -> Result<i32> {
    i32::try_from(output.len())
        .map_err(|_| Failure::new("out_of_memory", "the result is larger than 2 GiB"))
}

fn parts(input: &[u8], arguments: usize, body: usize) -> Result<(&[u8], &[u8])> {
    let whole = input.split_at_checked(arguments);
    let parts = whole.and_then(|(arguments, rest)| Some((arguments, rest.get(..body)?)));
    parts.ok_or_else(|| Failure::argument("the lengths exceed the input buffer"))
}

/// Exports functions: each takes an object, and the lengths of the arguments and of the body in the input buffer.
macro_rules! exports {
    ($($name:ident => $function:path;)*) => {
        $(
            /// A function of the interface, which README.md describes.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(object: u32, arguments: usize, body: usize) -> i32 {
                $crate::call(object, arguments, body, $function)
            }
        )*
    };
}
pub(crate) use exports;
