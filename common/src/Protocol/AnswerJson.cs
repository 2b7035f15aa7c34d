using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Optiks.Protocol;

/// <summary>
/// Renders answers as JSON for people and scripts (docs/spec/rest.md section 4). The JSON uses the field names of the binary structures,
/// and base64url for bytes. The input is the binary form, because only that form is ever verified. Members throw
/// <see cref="EncodingException"/> if the input cannot be decoded.
/// </summary>
public static partial class AnswerJson
{
    /// <summary>The largest integer that JSON readers do not round.</summary>
    public const ulong MaxInteger = (1UL << 53) - 1;

    // The length up to which a text is put on the stack; longer texts need an array on the heap. All texts except long values fit this
    // length. The longest other text is the hashes of a path through a large tree.
    private const int MaxOnStack = 1200;

    /// <summary>The JSON encoder of all answers. It escapes only what JSON requires, because answers are never embedded in HTML.</summary>
    public static JavaScriptEncoder Encoder { get; } = JavaScriptEncoder.UnsafeRelaxedJsonEscaping;

    /// <summary>Renders a LookupAnswer as the JSON object <c>{"head": ..., "lookups": [...]}</c>.</summary>
    public static void WriteLookupAnswer(Utf8JsonWriter writer, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = LookupAnswer.Decode(answer);
        writer.WriteStartObject();
        WriteHead(writer, "head", decoded.Head);
        writer.WriteStartArray("lookups"u8);
        foreach (Lookup lookup in decoded.Lookups)
        {
            WriteLookup(writer, lookup);
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    /// <summary>Renders a HistoryAnswer or a MonitorAnswer as the JSON object <c>{"head": ..., "versions": [...]}</c>.</summary>
    public static void WriteVersionsAnswer(Utf8JsonWriter writer, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = VersionsAnswer.Decode(answer);
        writer.WriteStartObject();
        WriteHead(writer, "head", decoded.Head);
        writer.WriteStartArray("versions"u8);
        foreach (Versions versions in decoded.Versions)
        {
            WriteVersions(writer, versions);
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    /// <summary>Renders a Head that is not part of an answer.</summary>
    public static void WriteHead(Utf8JsonWriter writer, ReadOnlyMemory<byte> head)
    {
        ArgumentNullException.ThrowIfNull(writer);
        WriteHead(writer, null, AnswerHead.Decode(head));
    }

    /// <summary>Renders an EpochRecord's fields.</summary>
    public static void WriteRecord(Utf8JsonWriter writer, ReadOnlySpan<byte> record)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = EpochRecord.Decode(record);
        writer.WriteStartObject();
        writer.WriteNumber("format"u8, decoded.Format);
        WriteOctets(writer, "log_id", decoded.LogId);
        WriteInteger(writer, "epoch", decoded.Epoch);
        WriteInteger(writer, "period", decoded.Period);
        WriteInteger(writer, "period_first_epoch", decoded.PeriodFirstEpoch);
        WriteInteger(writer, "time_ms", decoded.TimeMs);
        writer.WriteStartArray("structures"u8);
        foreach (StructureState state in decoded.Structures)
        {
            writer.WriteStartObject();
            WriteOctets(writer, "root", state.Root);
            WriteInteger(writer, "count", state.Count);
            WriteOctets(writer, "vrf_public_key", state.VrfPublicKey);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        WriteOctets(writer, "previous", decoded.Previous);
        writer.WriteEndObject();
    }

    /// <summary>Renders an AuditProof.</summary>
    public static void WriteAuditProof(Utf8JsonWriter writer, ReadOnlyMemory<byte> proof)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = AuditProof.Decode(proof);
        writer.WriteStartObject();
        writer.WriteStartArray("records"u8);
        foreach (ReadOnlyMemory<byte> record in decoded.Records)
        {
            WriteRecord(writer, record.Span);
        }
        writer.WriteEndArray();
        writer.WriteStartArray("structures"u8);
        foreach (AppendProof structure in decoded.Structures)
        {
            writer.WriteStartObject();
            writer.WriteStartArray("leaves"u8);
            foreach (AddedLeaf leaf in structure.Leaves)
            {
                writer.WriteStartObject();
                WriteOctets(writer, "label", leaf.Label);
                WriteOctets(writer, "commitment", leaf.Commitment);
                writer.WriteNumber("offset"u8, leaf.Offset);
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
            WriteOctets(writer, "opened", structure.Opened);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    /// <summary>Renders the answer of <c>GET /v1/configuration</c>.</summary>
    public static void WriteConfiguration(Utf8JsonWriter writer, TrustAnchor anchor)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(anchor);
        Configuration fields = anchor.Configuration;
        writer.WriteStartObject();
        WriteOctets(writer, "configuration", anchor.ConfigurationOctets);
        writer.WriteString("log_key"u8, anchor.LogKey.ToString());
        WriteOctets(writer, "log_id", anchor.LogId);
        writer.WriteNumber("format"u8, fields.Format);
        writer.WriteNumber("suite"u8, fields.Suite);
        writer.WriteString("origin"u8, fields.Origin);
        WriteInteger(writer, "period_length_ms", fields.PeriodLengthMs);
        writer.WriteNumber("retained_periods"u8, fields.RetainedPeriods);
        writer.WriteNumber("username_reuse"u8, fields.UsernameReuse);
        writer.WriteNumber("max_key_len"u8, fields.MaxKeyLength);
        writer.WriteNumber("max_value_len"u8, fields.MaxValueLength);
        writer.WriteNumber("max_devices"u8, fields.MaxDevices);
        writer.WriteNumber("heartbeat_ms"u8, fields.HeartbeatMs);
        writer.WriteNumber("max_ahead_ms"u8, fields.MaxAheadMs);
        writer.WriteNumber("max_behind_ms"u8, fields.MaxBehindMs);
        writer.WriteNumber("username_form"u8, (byte)fields.UsernameForm);
        writer.WriteEndObject();
    }

    /// <summary>Writes <c>value_b64</c>, and also <c>value</c> if the bytes are text without control characters.</summary>
    public static void WriteValue(Utf8JsonWriter writer, ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(writer);
        WriteOctets(writer, "value_b64", value);
        if (DisplayText.IsText(value))
        {
            writer.WriteString("value"u8, value);
        }
    }

    private static void WriteHead(Utf8JsonWriter writer, string? name, AnswerHead head)
    {
        if (name is not null)
        {
            writer.WritePropertyName(name);
        }
        writer.WriteStartObject();
        WriteOctets(writer, "record", head.Record);
        writer.WritePropertyName("record_fields"u8);
        WriteRecord(writer, head.Record.Span);
        WriteOctets(writer, "inclusion", head.Inclusion);
        WriteOctets(writer, "consistency", head.Consistency);
        WriteOctets(writer, "checkpoint", head.Checkpoint);
        writer.WriteEndObject();
    }

    private static void WriteLookup(Utf8JsonWriter writer, Lookup lookup)
    {
        writer.WriteStartObject();
        WriteInteger(writer, "version", lookup.Version);
        WriteMembers(writer, lookup.Members);
        WriteAbsent(writer, lookup.Absent);
        writer.WriteEndObject();
    }

    private static void WriteVersions(Utf8JsonWriter writer, Versions versions)
    {
        writer.WriteStartObject();
        WriteInteger(writer, "version", versions.Version);
        WriteInteger(writer, "from", versions.From);
        WriteMembers(writer, versions.Members);
        WriteAbsent(writer, versions.Absent);
        writer.WriteEndObject();
    }

    private static void WriteMembers(Utf8JsonWriter writer, IReadOnlyList<Member> members)
    {
        writer.WriteStartArray("members"u8);
        foreach (Member member in members)
        {
            WriteMember(writer, member);
        }
        writer.WriteEndArray();
    }

    private static void WriteMember(Utf8JsonWriter writer, Member member)
    {
        writer.WriteStartObject();
        WriteOctets(writer, "vrf_proof", member.VrfProof);
        WriteInteger(writer, "epoch", member.Epoch);
        writer.WriteNumber("kind"u8, (int)member.Kind);
        if (member.Kind == MemberKind.Opened)
        {
            WriteOctets(writer, "opening", member.CommitmentOrOpening);
            WriteValue(writer, member.Value.Span);
        }
        else
        {
            WriteOctets(writer, "commitment", member.CommitmentOrOpening);
        }
        WritePath(writer, member.Path);
        writer.WriteEndObject();
    }

    private static void WriteAbsent(Utf8JsonWriter writer, IReadOnlyList<NonMember> proofs)
    {
        writer.WriteStartArray("absent"u8);
        foreach (NonMember absent in proofs)
        {
            WriteNonMember(writer, absent);
        }
        writer.WriteEndArray();
    }

    private static void WriteNonMember(Utf8JsonWriter writer, NonMember absent)
    {
        writer.WriteStartObject();
        WriteOctets(writer, "vrf_proof", absent.VrfProof);
        switch (absent.Node)
        {
            case null:
                writer.WriteNumber("node"u8, 0);
                break;
            case OpenedNode.Interior interior:
                writer.WriteNumber("node"u8, 1);
                writer.WriteNumber("length"u8, interior.Length);
                WriteOctets(writer, "prefix", interior.Prefix);
                WriteOctets(writer, "left", interior.Left);
                WriteOctets(writer, "right", interior.Right);
                WritePath(writer, interior.Path);
                break;
            case OpenedNode.Leaf leaf:
                writer.WriteNumber("node"u8, 2);
                WriteOctets(writer, "label", leaf.Label);
                WriteOctets(writer, "commitment", leaf.Commitment);
                WriteInteger(writer, "epoch", leaf.Epoch);
                WritePath(writer, leaf.Path);
                break;
        }
        writer.WriteEndObject();
    }

    private static void WritePath(Utf8JsonWriter writer, TreePath path)
    {
        writer.WriteStartObject("path"u8);
        WriteOctets(writer, "mask", path.Mask);
        WriteOctets(writer, "siblings", path.Siblings);
        writer.WriteEndObject();
    }

    private static void WriteOctets(Utf8JsonWriter writer, string name, ReadOnlyMemory<byte> octets) =>
        WriteOctets(writer, name, octets.Span);

    private static void WriteOctets(Utf8JsonWriter writer, string name, ReadOnlySpan<byte> octets)
    {
        int length = Base64Url.GetEncodedLength(octets.Length);
        byte[]? rented = length > MaxOnStack ? ArrayPool<byte>.Shared.Rent(length) : null;
        Span<byte> text = rented is null ? stackalloc byte[MaxOnStack] : rented;
        writer.WriteString(name, text[..Base64Url.EncodeToUtf8(octets, text)]);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    // Refuses to render a number above `MaxInteger`, which JSON readers would round. Only a hostile or broken structure contains such a
    // number.
    private static void WriteInteger(Utf8JsonWriter writer, string name, ulong value)
    {
        if (value > MaxInteger)
        {
            throw new EncodingException($"{name}: {value.ToString(CultureInfo.InvariantCulture)} is too large for an integer in JSON");
        }
        writer.WriteNumber(name, value);
    }
}
