use super::*;

#[test]
fn dev() {
    let Ok(list) = std::env::var("DEV_FILES") else {
        return;
    };
    let model = if std::env::var("DEV_32").is_ok() {
        DataModel::Ilp32
    } else {
        DataModel::Lp64
    };
    let options = crate::LoadOptions {
        data_model: model,
        ..Default::default()
    };
    for path in list.split_whitespace() {
        let source = match crate::load(std::path::Path::new(path), &options) {
            Ok(s) => s,
            Err(e) => {
                eprintln!("== {path} {e:?}");
                continue;
            }
        };
        let text = source.map.text().clone();
        let start = std::time::Instant::now();
        let mut result = analyse(&text, model);
        let time = start.elapsed();
        result.map = source.map;
        eprintln!("== {path} {} bytes {time:?}", text.len());
        for e in result.errors() {
            eprintln!("error {e}");
        }
        if result.errors().is_empty() {
            for e in validate::broken_promises(&result) {
                eprintln!("broken {e}");
            }
        }
        if std::env::var("DEV_UNSUP").is_ok() {
            for e in unsupported(&result.unit) {
                eprintln!("unsup {e}");
            }
        }
        if std::env::var("DEV_WARN").is_ok() {
            for e in result.messages(Severity::Warning) {
                eprintln!("warning {e}");
            }
        }
        if std::env::var("DEV_DUMP").is_ok() {
            eprintln!("{:#?}", result.unit);
        }
    }
}
