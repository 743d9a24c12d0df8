//! `printf`, `puts`, `putchar` and the mathematical functions, against what glibc prints.

#![allow(missing_docs)]

mod support;

use rhumb_program::interp::{Caveat, FaultDetail, KeyedInputs, Outcome, Run, RunLimits};
use rhumb_program::*;
use support::*;

#[derive(Clone, Copy)]
enum Arg {
    Int(i32),
    Long(i64),
    Double(f64),
    LongDouble(u128),
    Text(&'static str),
    Address(u64),
}

use Arg::*;

fn print(format: &str, args: &[Arg]) -> Run {
    let mut b = Builder::new(DataModel::Lp64);
    let text = b.string(format);
    let mut operands = vec![b.addr_of(text)];
    for &arg in args {
        let operand = match arg {
            Int(value) => b.i32(value),
            Long(value) => b.int(IntType::signed(64), value.into()),
            Double(value) => b.f64(value),
            LongDouble(bits) => b.float(FloatType::X87, bits),
            Text(text) => {
                let object = b.string(text);
                b.addr_of(object)
            }
            Address(address) => b.constant(PTR, address.into()),
        };
        operands.push(operand);
    }
    let count = b.local("count", INT);
    b.call(Some(count), Callee::Builtin(Builtin::Printf), &operands);
    let count = b.read(count);
    b.exit(count);
    b.run()
}

#[track_caller]
fn check(format: &str, args: &[Arg], expected: &str) {
    let run = print(format, args);
    let text = String::from_utf8_lossy(&run.output).into_owned();
    assert_eq!(text, expected, "{format}");
    assert_eq!(
        run.outcome,
        Outcome::Exit(expected.len() as i32),
        "{format}"
    );
    assert!(run.is_definite(), "{format}");
}

#[test]
fn integers() {
    check("[%d] [%i]", &[Int(5), Int(-7)], "[5] [-7]");
    check(
        "[%+d] [% d] [%05d]",
        &[Int(5), Int(5), Int(-42)],
        "[+5] [ 5] [-0042]",
    );
    check(
        "[%-5d|] [%+.3d] [%.0d]",
        &[Int(3), Int(7), Int(0)],
        "[3    |] [+007] []",
    );
    check(
        "[%#x] [%#o] [%#X]",
        &[Int(255), Int(8), Int(255)],
        "[0xff] [010] [0XFF]",
    );
    check("[%#x] [%#o] [%.0x] [%#.0o]", &[Int(0); 4], "[0] [0] [] [0]");
    check(
        "[%05.3d] [%-05d] [%+u]",
        &[Int(5); 3],
        "[  005] [5    ] [5]",
    );
    check(
        "[%hhd] [%hd] [%hhu] [%hx]",
        &[Int(300), Int(70000), Int(511), Int(0x12345)],
        "[44] [4464] [255] [2345]",
    );
    check(
        "[%ld] [%jd] [%zu] [%td] [%lld]",
        &[Long(1 << 40), Long(1), Long(2), Long(-3), Long(-4)],
        "[1099511627776] [1] [2] [-3] [-4]",
    );
    check(
        "[%u] [%lu]",
        &[Int(-1), Long(-1)],
        "[4294967295] [18446744073709551615]",
    );
    check(
        "[%x] [%08X]",
        &[Int(-1), Int(0xbeef)],
        "[ffffffff] [0000BEEF]",
    );
    check(
        "[%*d] [%-*d|] [%.*d] [%*d]",
        &[
            Int(5),
            Int(42),
            Int(5),
            Int(42),
            Int(-1),
            Int(7),
            Int(-5),
            Int(42),
        ],
        "[   42] [42   |] [7] [42   ]",
    );
    check("[%d]", &[Int(i32::MIN)], "[-2147483648]");
    check(
        "[%020d] [%#10x]",
        &[Int(-3), Int(1)],
        "[-0000000000000000003] [       0x1]",
    );
}

#[test]
fn characters_and_strings() {
    check(
        "[%c] [%5c] [%-3c|] [%c]",
        &[Int(65), Int(120), Int(121), Int(321)],
        "[A] [    x] [y  |] [A]",
    );
    check(
        "[%s] [%-5s|] [%5s] [%.2s] [%.9s] %%",
        &[Text("ab"), Text("ab"), Text("ab"), Text("hello"), Text("")],
        "[ab] [ab   |] [   ab] [he] [] %",
    );
    check(
        "[%p] [%20p] [%-20p|] [%p]",
        &[Address(0x1234), Address(1), Address(1), Address(0)],
        "[0x1234] [                 0x1] [0x1                 |] [(nil)]",
    );
    check(
        "[%020p] [%+p] [%8p]",
        &[Address(1), Address(1), Address(0)],
        "[0x000000000000000001] [+0x1] [   (nil)]",
    );
}

#[test]
fn doubles() {
    check(
        "[%f] [%08.3f] [%+.2e] [%#.0f]",
        &[Double(1.5), Double(3.25159), Double(12345.678), Double(2.0)],
        "[1.500000] [0003.252] [+1.23e+04] [2.]",
    );
    check(
        "[%g] [%#g] [%G] [%g]",
        &[Double(1e10), Double(1.0), Double(1e-10), Double(0.0001)],
        "[1e+10] [1.00000] [1E-10] [0.0001]",
    );
    check(
        "[%e] [%g] [%.10g] [%g] [%g] [%.0e] [%#.0e]",
        &[
            Double(0.0),
            Double(100000.0),
            Double(100000.0),
            Double(1e6),
            Double(1e-5),
            Double(15.0),
            Double(15.0),
        ],
        "[0.000000e+00] [100000] [100000] [1e+06] [1e-05] [2e+01] [2.e+01]",
    );
    check(
        "[%f] [%F] [%e] [%05f] [%-8f|] [%+f]",
        &[
            Double(f64::INFINITY),
            Double(f64::NEG_INFINITY),
            Double(f64::NAN),
            Double(f64::INFINITY),
            Double(f64::NAN),
            Double(f64::NAN),
        ],
        "[inf] [-INF] [nan] [  inf] [nan     |] [+nan]",
    );
    check(
        "[%.0f] [%.0f] [%.0f] [%.1f] [%.3f]",
        &[
            Double(0.5),
            Double(1.5),
            Double(2.5),
            Double(0.25),
            Double(-0.0),
        ],
        "[0] [2] [2] [0.2] [-0.000]",
    );
    check(
        "[%.20f] [%.15g] [%.17g]",
        &[Double(0.1), Double(0.1), Double(0.1)],
        "[0.10000000000000000555] [0.1] [0.10000000000000001]",
    );
    check(
        "[%g] [%g] [%g] [%g]",
        &[
            Double(123456789.0),
            Double(0.00001234),
            Double(9999995.0),
            Double(999999.5),
        ],
        "[1.23457e+08] [1.234e-05] [1e+07] [1e+06]",
    );
    check(
        "[%.3e] [%.3g] [%f]",
        &[Double(5e-324), Double(1.7976931348623157e308), Double(1e15)],
        "[4.941e-324] [1.8e+308] [1000000000000000.000000]",
    );
    check(
        "%.60f",
        &[Double(0.1)],
        "0.100000000000000005551115123125782702118158340454101562500000",
    );
}

#[test]
fn hexadecimal_floats() {
    check(
        "%a %a %a %.2a %.0a",
        &[
            Double(1.0),
            Double(5e-324),
            Double(0.1),
            Double(0.1),
            Double(1.5),
        ],
        "0x1p+0 0x0.0000000000001p-1022 0x1.999999999999ap-4 0x1.9ap-4 0x2p+0",
    );
    check(
        "%.3a %A %a %.2a",
        &[Double(0.99999), Double(255.5), Double(-0.0), Double(0.0)],
        "0x2.000p-1 0X1.FFP+7 -0x0p+0 0x0.00p+0",
    );
    check("%La", &[LongDouble(0x4002_a800_0000_0000_0000)], "0xa.8p+0");
}

#[test]
fn long_doubles() {
    let third = 0x3ffd_aaaa_aaaa_aaaa_aaab;
    check(
        "%Lf %.25Lf %Le %Lg",
        &[LongDouble(third); 4],
        "0.333333 0.3333333333333333333423684 3.333333e-01 0.333333",
    );
    // The greatest: 4933 digits.
    let run = print("%.0Lf", &[LongDouble(0x7ffe_ffff_ffff_ffff_ffff)]);
    assert_eq!(run.outcome, Outcome::Exit(4933));
    assert!(run.output.starts_with(b"118973149535723176502126385303"));
    // The least: all 16445 digits behind the point.
    let run = print("%.16445Lf", &[LongDouble(1)]);
    assert_eq!(run.outcome, Outcome::Exit(16447));
    assert!(run.output.ends_with(b"5"));
}

#[test]
fn wrong_arguments() {
    for (format, args) in [
        ("%d", &[][..]),
        ("%d", &[Double(1.0)]),
        ("%f", &[Int(1)]),
        ("%Lf", &[Double(1.0)]),
        ("%s", &[Int(1)]),
        ("%*d", &[Int(1)]),
    ] {
        let Outcome::Undefined(fault) = print(format, args).outcome else {
            panic!("{format}");
        };
        assert_eq!(fault.detail, FaultDetail::FormatArguments);
    }
    for (format, args, expected) in [
        ("%d", &[Long(1 << 40 | 3)][..], "3"),
        ("%ld", &[Int(-1)], "-1"),
        ("%x", &[Address(0x10)], "10"),
    ] {
        let run = print(format, args);
        assert_eq!(run.output, expected.as_bytes());
        assert!(matches!(run.caveats[..], [Caveat::FormatMismatch { .. }]));
    }
    assert!(matches!(
        print("%n", &[Address(0)]).outcome,
        Outcome::Unsupported(_)
    ));
    let Outcome::Undefined(fault) = print("%s", &[Address(0)]).outcome else {
        panic!();
    };
    assert_eq!(fault.kind, UbKind::BadRead);
    // More arguments than conversions are ignored.
    check("x", &[Int(1)], "x");
}

#[test]
fn a_string_without_end() {
    let mut b = Builder::new(DataModel::Lp64);
    let init = Init::Bytes {
        offset: 0,
        bytes: Box::from(&b"abc"[..]),
    };
    let object = b.global_object("text", 3, vec![init]);
    let address = b.addr_of(object);
    b.call(None, Callee::Builtin(Builtin::Puts), &[address]);
    b.exit_with(0);
    let run = b.run();
    let Outcome::Undefined(fault) = run.outcome else {
        panic!("{:?}", run.outcome);
    };
    assert_eq!(fault.kind, UbKind::BadRead);
    assert!(matches!(
        fault.detail,
        FaultDetail::OutOfBounds { offset: 3, .. }
    ));
    // With a precision it is never looked at.
    let mut b = Builder::new(DataModel::Lp64);
    let init = Init::Bytes {
        offset: 0,
        bytes: Box::from(&b"abc"[..]),
    };
    let object = b.global_object("text", 3, vec![init]);
    let format = b.string("%.3s");
    let (format, address) = (b.addr_of(format), b.addr_of(object));
    b.call(None, Callee::Builtin(Builtin::Printf), &[format, address]);
    b.exit_with(0);
    assert_eq!(b.run().output, b"abc");
}

#[test]
fn output_is_limited() {
    let mut b = Builder::new(DataModel::Lp64);
    let format = b.string("%2000000000d\n");
    let (format, one) = (b.addr_of(format), b.i32(1));
    let n = b.local("n", INT);
    b.call(Some(n), Callee::Builtin(Builtin::Printf), &[format, one]);
    let c = b.i32(i32::from(b'!'));
    b.call(None, Callee::Builtin(Builtin::Putchar), &[c]);
    let n = b.read(n);
    b.exit(n);
    let limits = RunLimits {
        output: 10,
        ..RunLimits::default()
    };
    let run = b.run_with(&mut KeyedInputs::new(), &limits);
    assert_eq!(run.outcome, Outcome::Exit(2_000_000_001));
    assert_eq!(run.output, b"          ");
    assert!(run.output_truncated);
}

#[test]
fn results_of_puts_and_putchar() {
    let mut b = Builder::new(DataModel::Lp64);
    let text = b.string("hello");
    let text = b.addr_of(text);
    let (n, m) = (b.local("n", INT), b.local("m", INT));
    b.call(Some(n), Callee::Builtin(Builtin::Puts), &[text]);
    let c = b.i32(0x141);
    b.call(Some(m), Callee::Builtin(Builtin::Putchar), &[c]);
    let (n, m) = (b.read(n), b.read(m));
    let sum = b.binary(BinOp::Add, n, m);
    b.exit(sum);
    let run = b.run();
    assert_eq!(run.output, b"hello\nA");
    assert_eq!(run.outcome, Outcome::Exit(6 + 65));
}

#[test]
fn mathematical_functions() {
    let mut b = Builder::new(DataModel::Lp64);
    let (x, y) = (b.f64(-2.25), b.f64(f64::NAN));
    let r = b.local("r", F64);
    let n = b.local("n", INT);
    for (builtin, args, expected) in [
        (Builtin::Math(MathFn::Fabs, FloatType::F64), vec![x], 2.25),
        (Builtin::Math(MathFn::Floor, FloatType::F64), vec![x], -3.0),
        (
            Builtin::Math2(Math2Fn::Fmax, FloatType::F64),
            vec![y, x],
            -2.25,
        ),
    ] {
        b.call(Some(r), Callee::Builtin(builtin), &args);
        let (value, wanted) = (b.read(r), b.f64(expected));
        let wrong = b.binary(BinOp::Ne, value, wanted);
        b.target_if(wrong);
    }
    let classify = Builtin::Classify(ClassifyFn::SignBit, FloatType::F64);
    b.call(Some(n), Callee::Builtin(classify), &[x]);
    let n = b.read(n);
    b.exit(n);
    assert_eq!(b.run().outcome, Outcome::Exit(1));
}
