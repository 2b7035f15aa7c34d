using System.Text.Json;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>Prints one result, either as a statement for people or as one JSON object on a line.</summary>
internal static class Report
{
    /// <summary>Prints one line of JSON that starts with the members <c>verdict</c>, <c>reason</c> and <c>epoch</c>.</summary>
    public static void Json(CommandHost host, string? verdict, string reason, ulong? epoch, Action<Utf8JsonWriter>? more = null)
    {
        host.Out.WriteLine(JsonLine.Write(writer =>
        {
            writer.WriteString("verdict"u8, verdict);
            writer.WriteString("reason"u8, reason);
            Number(writer, "epoch", epoch);
            more?.Invoke(writer);
        }));
        host.Out.Flush();
    }

    public static void Number(Utf8JsonWriter writer, string name, ulong? value)
    {
        if (value is { } number)
        {
            writer.WriteNumber(name, number);
        }
        else
        {
            writer.WriteNull(name);
        }
    }

    /// <summary>Writes a key in base64url, and also as text if the key is valid text.</summary>
    public static void Key(Utf8JsonWriter writer, ReadOnlyMemory<byte> key)
    {
        if (DisplayText.IsText(key.Span))
        {
            writer.WriteString("key"u8, key.Span);
        }
        writer.WriteString("key_b64"u8, Base64UrlText.Encode(key.Span));
    }

    /// <summary>
    /// Writes a head's epoch and time. If an answer has several epochs, the parameter <paramref name="time"/> is the time of the reported
    /// epoch, which replaces the head's time.
    /// </summary>
    public static void Head(Utf8JsonWriter writer, HeadInfo? head, DateTimeOffset? time = null)
    {
        if (head is null)
        {
            return;
        }
        writer.WriteNumber("period"u8, head.Period);
        writer.WriteNumber("time_ms"u8, (time ?? head.Time).ToUnixTimeMilliseconds());
        writer.WriteNumber("checkpoint_size"u8, head.CheckpointSize);
        writer.WriteString("audited"u8, head.IsAudited ? "valid" : "not-yet");
        if (head.Overdue.Count > 0)
        {
            Beliefs(writer, "overdue", head.Overdue);
        }
    }

    /// <summary>Writes the answers that the client believed before auditors covered them.</summary>
    public static void Beliefs(Utf8JsonWriter writer, string name, IEnumerable<Belief> beliefs)
    {
        writer.WriteStartArray(name);
        foreach (Belief belief in beliefs)
        {
            writer.WriteStartObject();
            writer.WriteNumber("epoch"u8, belief.Epoch);
            writer.WriteString("key_b64"u8, belief.Key);
            writer.WriteNumber("version"u8, belief.Version);
            writer.WriteNumber("believed_at_ms"u8, belief.BelievedAtMs);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    /// <summary>
    /// Returns the words for a verified answer: "valid", with "not yet audited" if auditors do not cover the answer's epochs.
    /// </summary>
    public static string Standing(HeadInfo head) => head.IsAudited ? "valid" : "valid, not yet audited";

    /// <summary>
    /// Reports as an alarm the answers that the client believed and that auditors should have covered by now. Returns the exit code.
    /// </summary>
    public static int Overdue(CommandHost host, int code)
    {
        if (host.Overdue is not [{ } oldest, ..] all)
        {
            return code;
        }
        host.Error.WriteLine(
            $"""
            ALARM: {all.Count} answer{(all.Count == 1 ? "" : "s")} believed here {(all.Count == 1 ? "is" : "are")} not covered by enough auditors, and ought to be by now; the oldest since {DateTimeOffset.FromUnixTimeMilliseconds(oldest.BelievedAtMs):yyyy-MM-dd HH:mm:ss}Z, of epoch {oldest.Epoch}.
            Somebody may have been shown what auditors refuse to sign, or auditors stand still: ask them. This ends when enough of them cover these epochs.
            optiks overdue lists them. If you know why auditors will not cover them: optiks overdue --accept {all.Max(belief => belief.Epoch)}.
            """);
        return code == ExitCodes.Success ? ExitCodes.Invalid : code;
    }

    /// <summary>
    /// Returns the name of a verdict in JSON output. The name "invalid" stands in for all verdicts on answers that a caller must not
    /// believe.
    /// </summary>
    public static string Name(Verdict verdict) => verdict switch
    {
        Verdict.Present => "present",
        Verdict.Absent => "absent",
        Verdict.Valid => "valid",
        _ => "invalid",
    };

    /// <summary>Returns the epoch that published a version; null for a copy, which no request published.</summary>
    public static ulong? PublishedEpoch(ulong epoch) => epoch == 0 ? null : epoch;

    /// <summary>Returns the name of the reason why a server gave no answer.</summary>
    public static string Name(OptiksServerException failure) => failure.Problem is { } problem
        ? ServerWords.Mark(problem)
        : (failure.Failure == ServerFailure.Unreachable ? "unreachable" : "unusable-answer");

    /// <summary>Reports a refused answer: says why, and what to do next.</summary>
    public static int Refused(CommandHost host, bool json, string subject, VerifiedAnswer answer, Action<Utf8JsonWriter>? more = null)
    {
        if (json)
        {
            Json(host, Name(answer.Verdict), answer.Reason.Name(), null, writer =>
            {
                more?.Invoke(writer);
                if (answer.Detail is not null)
                {
                    writer.WriteString("detail"u8, answer.Detail);
                }
                if (answer.EvidencePath is not null)
                {
                    writer.WriteString("evidence"u8, answer.EvidencePath);
                }
            });
        }
        else
        {
            host.Out.WriteLine($"{subject}: {(answer.Verdict == Verdict.Malformed ? "malformed" : "invalid")}, {answer.Reason.Name()}");
            if (answer.Detail is not null)
            {
                host.Error.WriteLine($"{subject}: {answer.Detail}");
            }
            host.Error.WriteLine(Advice(answer));
        }
        return answer.Verdict == Verdict.Fork ? ExitCodes.Fork : ExitCodes.Invalid;
    }

    private static string Advice(VerifiedAnswer answer) => answer.Reason switch
    {
        Reason.Fork =>
            $"The log showed two views that cannot both be true. Both are in {answer.EvidencePath}: publish them and ask the operator and the auditors. Until then nothing of this log is believed here.",
        _ when answer.EvidencePath is { } path =>
            $"The log's own signature shows it, to anyone. The evidence is in {path}: publish it and ask the operator and the auditors. Until then nothing of this log is believed here.",
        Reason.Stale =>
            "Every replica answered with less than was verified here before. It may be catching up: try again, or ask another replica with --query-url.",
        Reason.WitnessQuorum =>
            "The proofs hold, and too few of your witnesses have cosigned the log so far: it may show you alone what others do not see. Try again; what was known before still stands.",
        Reason.RecordTooOld =>
            "The newest epoch is too old: the log has stopped publishing, this server hides newer epochs, or this machine's clock is ahead.",
        Reason.RecordFromFuture => "The newest epoch is from the future: check this machine's clock.",
        Reason.RecordLogId or Reason.CheckpointOrigin or Reason.CheckpointSignature =>
            "The answer is of another log than the trust anchor's: check --query-url and --trust.",
        _ => "Nothing of this answer is to be believed. Keep it and report it to the operator and the auditors.",
    };
}
