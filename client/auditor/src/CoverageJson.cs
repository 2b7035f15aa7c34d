using System.Text.Json;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>Writes the coverage of an auditor's signature (docs/spec/auditing.md section 4).</summary>
internal static class CoverageJson
{
    public static byte[] Write(LogView view)
    {
        using var body = new MemoryStream();
        using (var writer = new Utf8JsonWriter(body, new JsonWriterOptions { Encoder = AnswerJson.Encoder }))
        {
            writer.WriteStartObject();
            writer.WriteString("origin"u8, view.Origin);
            writer.WriteString("log_id"u8, Base64UrlText.Encode(view.Log.TrustAnchor.LogId.Span));
            writer.WriteString("auditor"u8, view.Auditor);
            writer.WriteNumber("first_epoch"u8, view.Log.FirstEpoch);
            WriteSigned(writer, view.Signed);
            if (view.VerifiedEpoch is { } epoch)
            {
                writer.WriteNumber("verified_epoch"u8, epoch);
            }
            else
            {
                writer.WriteNull("verified_epoch"u8);
            }
            writer.WriteString("condition"u8, Name(view.Condition));
            writer.WriteString("description"u8, view.PublicDescription);
            WriteFinding(writer, view.Finding);
            writer.WriteEndObject();
        }
        return body.ToArray();
    }

    /// <summary>Returns the name of a condition in JSON.</summary>
    public static string Name(LogCondition condition) => condition.ToString().ToLowerInvariant();

    public static void WriteFinding(Utf8JsonWriter writer, Finding? finding)
    {
        if (finding is null)
        {
            writer.WriteNull("finding"u8);
            return;
        }
        writer.WriteStartObject("finding"u8);
        writer.WriteString("reason"u8, finding.Reason);
        writer.WriteString("detail"u8, finding.Detail);
        WriteNumber(writer, "from"u8, finding.From);
        WriteNumber(writer, "to"u8, finding.To);
        writer.WriteNumber("found_at_ms"u8, finding.FoundAtMs);
        writer.WriteBoolean("proven"u8, finding.IsProven);
        writer.WriteEndObject();
    }

    private static void WriteSigned(Utf8JsonWriter writer, SignedStatement? signed)
    {
        if (signed is null)
        {
            writer.WriteNull("signed"u8);
            return;
        }
        EpochRecord record = EpochRecord.Decode(signed.Record);
        writer.WriteStartObject("signed"u8);
        writer.WriteNumber("epoch"u8, record.Epoch);
        writer.WriteNumber("size"u8, signed.Size);
        writer.WriteString("root"u8, Root(signed));
        writer.WriteString("record"u8, Base64UrlText.Encode(signed.Record));
        writer.WriteString("record_hash"u8, Base64UrlText.Encode(EpochRecord.Hash(signed.Record)));
        writer.WriteNumber("time_ms"u8, record.TimeMs);
        writer.WriteNumber("period"u8, record.Period);
        writer.WriteStartObject("vrf_keys"u8);
        for (int i = 0; i < record.Structures.Count; i++)
        {
            writer.WriteString(Structures.Names[i], Base64UrlText.Encode(record.Structures[i].VrfPublicKey.Span));
        }
        writer.WriteEndObject();
        writer.WriteStartArray("switches"u8);
        foreach (ulong epoch in signed.Switches)
        {
            writer.WriteNumberValue(epoch);
        }
        writer.WriteEndArray();
        writer.WriteNumber("signed_at"u8, signed.SignedAt);
        writer.WriteEndObject();
    }

    /// <summary>Returns the root of the signed tree, in the form that checkpoints use.</summary>
    public static string Root(SignedStatement signed) =>
        SignedNote.TryParse(signed.Note, out SignedNote? note, out _)
            && Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _)
            ? checkpoint.Root.ToString()
            : throw new InvalidOperationException("What was signed does not parse.");

    private static void WriteNumber(Utf8JsonWriter writer, ReadOnlySpan<byte> name, ulong? value)
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
}
