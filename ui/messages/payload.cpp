// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/payload.h"

#include "core/base/text.h"
#include "core/base/time.h"
#include "ui/common/convert.h"
#include "ui/common/formats.h"

#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <cctype>

namespace redeliver::ui {

namespace {

QString sizeText(std::size_t bytes) {
    return Formats::bytes(static_cast<std::int64_t>(bytes));
}

constexpr std::string_view hexDigits = "0123456789abcdef";

void appendByteHex(std::string& out, unsigned char byte) {
    out += hexDigits[byte >> 4U];
    out += hexDigits[byte & 0x0FU];
}

/// Length of the UTF-8 sequence that starts at `bytes`, or 0 when it isn't one.
std::size_t sequenceLength(std::string_view bytes) noexcept {
    const auto lead = static_cast<unsigned char>(bytes.front());
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length == 0 || length > bytes.size() || !isValidUtf8(bytes.substr(0, length))) {
        return 0;
    }
    return length;
}

/// A cut in the middle of a character would make good text look broken.
std::string_view cut(std::string_view bytes, std::size_t most) noexcept {
    if (bytes.size() <= most) {
        return bytes;
    }
    std::size_t end = most;
    while (end > 0 && most - end < 4 && (static_cast<unsigned char>(bytes[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return bytes.substr(0, end);
}

bool isControl(char c) noexcept {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
}

bool isBinary(std::string_view bytes) noexcept {
    return !isValidUtf8(bytes) || std::any_of(bytes.begin(), bytes.end(), isControl);
}

/// Control characters and bytes that aren't UTF-8 as \xNN; the rest stays.
std::string escaped(std::string_view bytes, bool quoteToo) {
    std::string out;
    out.reserve(bytes.size() + 8);
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t length = sequenceLength(bytes.substr(i));
        const char c = bytes[i];
        const bool lineOrTab = c == '\n' || c == '\r' || c == '\t';
        if (quoteToo && (c == '"' || c == '\\')) {
            out += '\\';
            out += c;
        } else if (quoteToo && lineOrTab) {
            out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        } else if (length == 0 || (length == 1 && isControl(c))) {
            out += "\\x";
            appendByteHex(out, static_cast<unsigned char>(c));
        } else {
            out += bytes.substr(i, length);
        }
        i += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string hexDump(std::string_view bytes) {
    constexpr std::size_t perLine = 16;
    std::string out;
    for (std::size_t line = 0; line < bytes.size(); line += perLine) {
        for (unsigned shift = 28; shift < 32; shift -= 4) {
            out += hexDigits[(line >> shift) & 0x0FU];
        }
        out += "  ";
        const std::string_view part = bytes.substr(line, perLine);
        for (std::size_t i = 0; i < perLine; ++i) {
            if (i < part.size()) {
                appendByteHex(out, static_cast<unsigned char>(part[i]));
            } else {
                out += "  ";
            }
            out += i == 7 ? "  " : " ";
        }
        out += ' ';
        for (const char c : part) {
            out += c >= 0x20 && c < 0x7F ? c : '.';
        }
        out += '\n';
    }
    if (!out.empty()) {
        out.pop_back();
    }
    return out;
}

}  // namespace

std::size_t Payload::firstInvalidUtf8(std::string_view bytes) noexcept {
    if (isValidUtf8(bytes)) {  // the usual case, in one pass
        return std::string_view::npos;
    }
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t length = sequenceLength(bytes.substr(i));
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

std::optional<std::string> Payload::indentJson(std::string_view json) {
    QJsonParseError error;
    const QByteArray wrapped = "[" + QByteArray(json.data(), static_cast<qsizetype>(json.size())) + "]";
    const QJsonDocument parsed = QJsonDocument::fromJson(wrapped, &error);
    if (error.error != QJsonParseError::NoError || parsed.isNull() ||
        json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return std::nullopt;
    }
    std::string out;
    std::size_t depth = 0;
    const auto newLine = [&] {
        out += '\n';
        out.append(depth * 2, ' ');
    };
    bool inString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            out += c;
            if (c == '\\' && i + 1 < json.size()) {
                out += json[++i];
            } else if (c == '"') {
                inString = false;
            }
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            continue;
        } else if (c == '{' || c == '[') {
            out += c;
            const std::size_t next = json.find_first_not_of(" \t\r\n", i + 1);
            if (next != std::string_view::npos && (json[next] == '}' || json[next] == ']')) {
                out += json[next];
                i = next;
            } else {
                ++depth;
                newLine();
            }
        } else if (c == '}' || c == ']') {
            if (depth == 0) {
                return std::nullopt;  // "1],[2" is JSON only between our own brackets
            }
            --depth;
            newLine();
            out += c;
        } else if (c == ',') {
            if (depth == 0) {
                return std::nullopt;
            }
            out += c;
            newLine();
        } else {
            out += c;
            inString = c == '"';
            if (c == ':') {
                out += ' ';
            }
        }
    }
    return out;
}

QString Payload::noteFor(PayloadKind kind, std::size_t size, std::size_t most) {
    QString what;
    switch (kind) {
        case PayloadKind::Null:
            return tr("null (no bytes at all)");
        case PayloadKind::Empty:
            return tr("empty (0 bytes, not null)");
        case PayloadKind::Json:
            what = tr("JSON");
            break;
        case PayloadKind::Text:
            what = tr("text");
            break;
        case PayloadKind::Binary:
            what = tr("binary");
            break;
    }
    QString note = what + QStringLiteral(" · ") + sizeText(size);
    if (size > most) {
        note += QStringLiteral(" · ") + tr("cut here after %1; Save… writes all of it").arg(sizeText(most));
    }
    return note;
}

PayloadView Payload::decoded(const std::optional<std::string>& bytes, std::size_t most) {
    if (!bytes || bytes->empty()) {
        const PayloadKind kind = bytes ? PayloadKind::Empty : PayloadKind::Null;
        return {kind, {}, noteFor(kind, 0, most)};
    }
    if (const std::size_t bad = firstInvalidUtf8(*bytes); bad != std::string_view::npos) {
        PayloadView view = asHex(bytes, most);
        view.note += QStringLiteral(" · ") + tr("not UTF-8 at byte %1, so shown as hex").arg(bad);
        return view;
    }
    if (isBinary(*bytes)) {
        PayloadView view = asHex(bytes, most);
        const bool framed = bytes->size() > 5 && bytes->front() == '\0';
        view.note += QStringLiteral(" · ") + (framed ? tr("begins with a zero byte, as schema-registry framing does")
                                                     : tr("holds control characters, so shown as hex"));
        return view;
    }
    if (bytes->size() <= most) {
        if (const auto json = indentJson(*bytes)) {
            return {PayloadKind::Json, toQt(*json), noteFor(PayloadKind::Json, bytes->size(), most)};
        }
    }
    return asText(bytes, most);
}

PayloadView Payload::asText(const std::optional<std::string>& bytes, std::size_t most) {
    if (!bytes || bytes->empty()) {
        return decoded(bytes, most);
    }
    const std::size_t bad = firstInvalidUtf8(*bytes);
    const bool good = bad == std::string_view::npos;
    const std::string_view shown = cut(*bytes, most);
    const bool binary = isBinary(*bytes);
    PayloadView view{binary ? PayloadKind::Binary : PayloadKind::Text,
                     toQt(binary ? escaped(shown, false) : std::string(shown)),
                     {}};
    view.note = noteFor(view.kind, bytes->size(), most);
    if (!good) {
        view.note += QStringLiteral(" · ") + tr("not UTF-8 at byte %1: such bytes are written \\xNN").arg(bad);
    }
    return view;
}

PayloadView Payload::asHex(const std::optional<std::string>& bytes, std::size_t most) {
    if (!bytes || bytes->empty()) {
        return decoded(bytes, most);
    }
    const PayloadKind kind = isBinary(*bytes) ? PayloadKind::Binary : PayloadKind::Text;
    const std::string_view shown = std::string_view(*bytes).substr(0, std::min(most, bytes->size()));
    return {kind, toQt(hexDump(shown)), noteFor(kind, bytes->size(), most)};
}

QString Payload::exact(const std::optional<std::string>& bytes, std::size_t most) {
    if (!bytes) {
        return QStringLiteral("null");
    }
    const std::string_view shown = cut(*bytes, most);
    const QString text = QLatin1Char('"') + toQt(escaped(shown, true)) + QLatin1Char('"');
    return bytes->size() > most ? text + tr(" … cut after %1").arg(sizeText(most)) : text;
}

QString Payload::exactRecord(const Record& record) {
    const auto line = [](const QString& name, const QString& value) -> QString {
        return name.leftJustified(11) + value + QLatin1Char('\n');
    };
    const auto withSize = [](const std::optional<std::string>& bytes) -> QString {
        return exact(bytes) + (bytes ? QStringLiteral("  (") + sizeText(bytes->size()) + QLatin1Char(')') : QString());
    };
    QString out = line(QStringLiteral("topic"), toQt(record.tp.topic.value()));
    out += line(QStringLiteral("partition"), QString::number(record.tp.partition.value()));
    out += line(QStringLiteral("offset"), QString::number(record.offset.value()));
    const QString kind = record.timestampType == TimestampType::LogAppendTime ? QStringLiteral("  (LogAppendTime)")
                         : record.timestampType == TimestampType::CreateTime  ? QStringLiteral("  (CreateTime)")
                                                                              : QString();
    out += line(QStringLiteral("timestamp"),
                record.timestamp ? toQt(toRfc3339(*record.timestamp)) + kind : tr("none (−1)"));
    out += line(QStringLiteral("key"), withSize(record.key));
    out += line(QStringLiteral("value"), withSize(record.value));
    for (std::size_t i = 0; i < record.headers.size(); ++i) {
        out += line(QStringLiteral("header %1").arg(i),
                    exact(record.headers[i].name) + QStringLiteral(" = ") + withSize(record.headers[i].value));
    }
    out.chop(1);
    return out;
}

}  // namespace redeliver::ui
