using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// Holds the configuration of a log, which never changes and is part of every trust anchor (docs/spec/records.md section 1).
/// </summary>
public sealed record Configuration
{
    /// <summary>
    /// The number of the configuration format that contains <see cref="UsernameForm"/>. In a configuration of <see cref="FirstFormat"/>,
    /// the form is always <see cref="UsernameForm.Octets"/>.
    /// </summary>
    public const ushort FormatWithUsernameForm = 2;

    /// <summary>The number of the earlier configuration format, which differs only in that it lacks <see cref="UsernameForm"/>.</summary>
    public const ushort FirstFormat = 1;

    /// <summary>The number of the VRF suite of docs/spec/vrf.md with BLAKE2b.</summary>
    public const ushort FourQSuite = 1;

    public ushort Format { get; init; } = FirstFormat;

    public ushort Suite { get; init; } = FourQSuite;

    /// <summary>The log's origin, which is the first line of each checkpoint and the name of the log key.</summary>
    public required string Origin { get; init; }

    /// <summary>The length of a period in milliseconds, from 1 to 2^53 - 1, so that JSON can represent the number.</summary>
    /// <value>The default is 90 days.</value>
    public ulong PeriodLengthMs { get; init; } = 90UL * 24 * 3600 * 1000;

    /// <summary>The number of periods whose history and monitoring the log serves, including the current period; at least 2.</summary>
    public byte RetainedPeriods { get; init; } = 2;

    /// <summary>The rule for reassigning usernames: 0 means never, 1 means by generations (docs/spec/recycled-names.md).</summary>
    public byte UsernameReuse { get; init; }

    /// <summary>Whether a username may be reassigned to another user after its own user has left.</summary>
    public bool ReusesUsernames => UsernameReuse != 0;

    /// <summary>The length of the longest allowed key in bytes, at least 1.</summary>
    public byte MaxKeyLength { get; init; } = ProtocolLimits.MaxKeyLength;

    /// <summary>The length of the longest allowed value in bytes, from 1 to <see cref="ProtocolLimits.MaxValueLength"/>.</summary>
    public uint MaxValueLength { get; init; } = ProtocolLimits.DefaultMaxValueLength;

    /// <summary>The highest number of devices of a user, at least 1.</summary>
    public ushort MaxDevices { get; init; } = 256;

    /// <summary>The longest time between two epochs, in milliseconds.</summary>
    /// <value>The default is one minute.</value>
    public uint HeartbeatMs { get; init; } = 60_000;

    /// <summary>The number of milliseconds by which a record's time may be ahead of a verifier's clock.</summary>
    public uint MaxAheadMs { get; init; } = 60_000;

    /// <summary>The number of milliseconds by which the time of an answer's record may be behind a verifier's clock. An answer with an
    /// older record is not fresh.</summary>
    public uint MaxBehindMs { get; init; } = 300_000;

    /// <summary>
    /// The form of usernames (docs/spec/usernames.md). Every form except <see cref="UsernameForm.Octets"/> needs
    /// <see cref="FormatWithUsernameForm"/>.
    /// </summary>
    public UsernameForm UsernameForm { get; init; }

    /// <summary>Computes the log id from a configuration and the log's public key (32 bytes).</summary>
    public static byte[] LogId(ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> logPublicKey)
    {
        Check.Length(logPublicKey, Ed25519.PublicKeyLength);
        return NativeHash.Compute(HashTags.LogId, [.. configuration, .. logPublicKey]);
    }

    /// <summary>
    /// Decodes a configuration and checks its bounds. Throws <see cref="EncodingException"/> if the bytes are invalid. The reason is
    /// <see cref="Reason.Configuration"/> if a field is out of bounds.
    /// </summary>
    public static Configuration Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        ushort format = reader.UInt16("configuration.format");
        ushort suite = reader.UInt16("configuration.suite");
        ReadOnlyMemory<byte> origin = reader.Vector(1, 255, "configuration.origin");
        var configuration = new Configuration
        {
            Format = format,
            Suite = suite,
            Origin = Utf8.IsValid(origin.Span) ? Encoding.UTF8.GetString(origin.Span) : "",
            PeriodLengthMs = reader.UInt64("configuration.period_length_ms"),
            RetainedPeriods = reader.UInt8("configuration.retained_periods"),
            UsernameReuse = reader.UInt8("configuration.username_reuse"),
            MaxKeyLength = reader.UInt8("configuration.max_key_len"),
            MaxValueLength = reader.UInt32("configuration.max_value_len"),
            MaxDevices = reader.UInt16("configuration.max_devices"),
            HeartbeatMs = reader.UInt32("configuration.heartbeat_ms"),
            MaxAheadMs = reader.UInt32("configuration.max_ahead_ms"),
            MaxBehindMs = reader.UInt32("configuration.max_behind_ms"),
            UsernameForm = format == FormatWithUsernameForm
                ? (UsernameForm)reader.UInt8("configuration.username_form")
                : UsernameForm.Octets,
        };
        reader.End("configuration");
        configuration.ThrowIfOutOfBounds();
        return configuration;
    }

    /// <summary>Returns the configuration's bytes. Throws <see cref="EncodingException"/> if a field is out of bounds.</summary>
    public byte[] Encode()
    {
        ThrowIfOutOfBounds();
        byte[] origin = Encoding.UTF8.GetBytes(Origin);
        byte[] octets = new byte[5 + origin.Length + 29 + (Format == FormatWithUsernameForm ? 1 : 0)];
        Span<byte> span = octets;
        BinaryPrimitives.WriteUInt16BigEndian(span, Format);
        BinaryPrimitives.WriteUInt16BigEndian(span[2..], Suite);
        span[4] = (byte)origin.Length;
        origin.CopyTo(span[5..]);
        span = span[(5 + origin.Length)..];
        BinaryPrimitives.WriteUInt64BigEndian(span, PeriodLengthMs);
        span[8] = RetainedPeriods;
        span[9] = UsernameReuse;
        span[10] = MaxKeyLength;
        BinaryPrimitives.WriteUInt32BigEndian(span[11..], MaxValueLength);
        BinaryPrimitives.WriteUInt16BigEndian(span[15..], MaxDevices);
        BinaryPrimitives.WriteUInt32BigEndian(span[17..], HeartbeatMs);
        BinaryPrimitives.WriteUInt32BigEndian(span[21..], MaxAheadMs);
        BinaryPrimitives.WriteUInt32BigEndian(span[25..], MaxBehindMs);
        if (Format == FormatWithUsernameForm)
        {
            span[29] = (byte)UsernameForm;
        }
        return octets;
    }

    private void ThrowIfOutOfBounds()
    {
        string? field =
            Format is not (FirstFormat or FormatWithUsernameForm) ? "format"
            : Suite != FourQSuite ? "suite"
            : !IsOrigin(Origin) ? "origin"
            : PeriodLengthMs is 0 or > AnswerJson.MaxInteger ? "period_length_ms"
            : RetainedPeriods < 2 ? "retained_periods"
            : UsernameReuse > 1 ? "username_reuse"
            : MaxKeyLength == 0 ? "max_key_len"
            : MaxValueLength is 0 or > ProtocolLimits.MaxValueLength ? "max_value_len"
            : MaxDevices == 0 ? "max_devices"
            : HeartbeatMs == 0 ? "heartbeat_ms"
            : UsernameForm > (Format == FormatWithUsernameForm ? UsernameForm.CaseMapped : UsernameForm.Octets) ? "username_form"
            : null;
        if (field is not null)
        {
            throw new EncodingException(Reason.Configuration, $"configuration.{field}");
        }
    }

    private static bool IsOrigin(string origin)
    {
        int length = Encoding.UTF8.GetByteCount(origin);
        return length is >= 1 and <= 255 && origin[^1] != '/' && !origin.Any(c => c == '+' || char.IsWhiteSpace(c) || char.IsControl(c));
    }
}
