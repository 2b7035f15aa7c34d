using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>
/// Holds the part of a trust anchor that names the auditors and witnesses on which a client relies (docs/spec/cosigners.md section 2). The
/// log id is not computed from the policy, because each client has its own policy. Immutable, so that any thread may use it.
/// </summary>
public sealed class TrustPolicy
{
    /// <summary>The highest number of auditors that a policy may have, which is also the highest number of witnesses.</summary>
    public const int MaxCosigners = 32;

    private readonly IReadOnlyList<string> _witnessLines;

    internal TrustPolicy(VerifierKey logKey, AuditorPolicy? auditors, TlogPolicy? witnesses, IReadOnlyList<string> witnessLines)
    {
        Auditors = auditors;
        Witnesses = witnesses;
        _witnessLines = witnessLines;
        try
        {
            // The verifier requires different keys, because each key must make only one kind of statement. The same key must not belong to
            // two auditors, to an auditor and a witness, or to the log and a cosigner.
            Verifier = new CheckpointVerifier(
                logKey, [.. (auditors?.Auditors ?? []).Select(auditor => auditor.Key),
                    .. (witnesses?.Witnesses ?? []).Select(witness => witness.Key)], Ed25519.Verifier);
        }
        catch (ArgumentException e)
        {
            throw new TrustAnchorException($"The trust anchor's auditors and witnesses use one key twice: {e.Message}", e);
        }
    }

    /// <summary>The auditors on which the client relies; null if it relies on no auditors, and then no answer counts as audited.</summary>
    public AuditorPolicy? Auditors { get; }

    /// <summary>The policy with the witnesses on which the client relies; null if it relies on no witnesses.</summary>
    public TlogPolicy? Witnesses { get; }

    /// <summary>The verifier of the log's checkpoints and of the cosignatures of all auditors and witnesses.</summary>
    public CheckpointVerifier Verifier { get; }

    /// <summary>Whether the client relies on no auditors and no witnesses.</summary>
    public bool IsEmpty => Auditors is null && Witnesses is null;

    /// <summary>Whether the client accepts an answer only after witnesses have cosigned a checkpoint that covers the answer.</summary>
    public bool NeedsWitnesses => Witnesses is { RequiresNone: false };

    internal static AuditorPolicy ParseAuditors(JsonElement json)
    {
        int? required = null;
        TimeSpan? lag = null;
        List<TrustedAuditor>? auditors = null;
        foreach (JsonProperty member in Members(json, "auditors"))
        {
            if (member.NameEquals("required"u8))
            {
                required = (int)Number(member, 1, MaxCosigners);
            }
            else if (member.NameEquals("max_lag_ms"u8))
            {
                // The upper bound of 2^43 ms is 278 years, which fits into a `TimeSpan`.
                lag = TimeSpan.FromMilliseconds((long)Number(member, 1, 1UL << 43));
            }
            else if (member.NameEquals("keys"u8) && member.Value.ValueKind == JsonValueKind.Array)
            {
                auditors = [.. member.Value.EnumerateArray().Select(ParseAuditor)];
            }
            else
            {
                throw new TrustAnchorException(
                    $"The auditors of a trust anchor have the member {member.Name}, which is unknown or has the wrong type.");
            }
        }
        if (required is null || lag is null || auditors is null)
        {
            throw new TrustAnchorException("The auditors of a trust anchor must have the members required, max_lag_ms and keys.");
        }
        return auditors.Count is 0 or > MaxCosigners || required > auditors.Count
            ? throw new TrustAnchorException(
                $"A trust anchor must have 1 to {MaxCosigners} auditors, and must not require more than it has.")
            : new AuditorPolicy(required.Value, lag.Value, auditors);
    }

    internal static (TlogPolicy Policy, IReadOnlyList<string> Lines) ParseWitnesses(JsonElement json, VerifierKey logKey)
    {
        if (json.ValueKind != JsonValueKind.Array || json.EnumerateArray().Any(line => line.ValueKind != JsonValueKind.String))
        {
            throw new TrustAnchorException("The witnesses of a trust anchor must be the lines of a policy, a string each.");
        }
        string[] lines = [.. json.EnumerateArray().Select(line => line.GetString()!)];
        if (lines.Any(line => line.Contains('\n', StringComparison.Ordinal)))
        {
            throw new TrustAnchorException("The witnesses of a trust anchor must be the lines of a policy, without newlines.");
        }
        byte[] text = Encoding.UTF8.GetBytes(string.Concat(lines.Select(line => $"{line}\n")));
        if (!TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out int at))
        {
            throw new TrustAnchorException($"The trust anchor's policy of witnesses is refused at line {at}: {error}.");
        }
        if (policy.Witnesses.Count > MaxCosigners || policy.Logs.Any(log => !log.Key.Equals(logKey)))
        {
            throw new TrustAnchorException(
                $"The trust anchor's policy must have at most {MaxCosigners} witnesses, and no log other than the anchor's.");
        }
        return (policy, lines);
    }

    internal void WriteTo(Utf8JsonWriter writer)
    {
        if (Auditors is not null)
        {
            writer.WriteStartObject("auditors"u8);
            writer.WriteNumber("required"u8, Auditors.Required);
            writer.WriteNumber("max_lag_ms"u8, (long)Auditors.MaxLag.TotalMilliseconds);
            writer.WriteStartArray("keys"u8);
            foreach (TrustedAuditor auditor in Auditors.Auditors)
            {
                writer.WriteStartObject();
                writer.WriteString("key"u8, auditor.Key.ToString());
                writer.WriteNumber("first_epoch"u8, auditor.FirstEpoch);
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        if (Witnesses is not null)
        {
            writer.WriteStartArray("witnesses"u8);
            foreach (string line in _witnessLines)
            {
                writer.WriteStringValue(line);
            }
            writer.WriteEndArray();
        }
    }

    private static TrustedAuditor ParseAuditor(JsonElement json)
    {
        VerifierKey? key = null;
        ulong? first = null;
        foreach (JsonProperty member in Members(json, "An auditor"))
        {
            if (member.NameEquals("key"u8) && member.Value.ValueKind == JsonValueKind.String)
            {
                key = VerifierKey.TryParse(member.Value.GetString()!, out VerifierKey? parsed, out TlogError error)
                    && parsed.Type == SignatureType.CosignatureV1
                    ? parsed
                    : throw new TrustAnchorException($"The key of an auditor in a trust anchor is not a vkey of type 4 ({error}).");
            }
            else if (member.NameEquals("first_epoch"u8))
            {
                first = Number(member, 0, AnswerJson.MaxInteger);
            }
            else
            {
                throw new TrustAnchorException(
                    $"An auditor of a trust anchor has the member {member.Name}, which is unknown or has the wrong type.");
            }
        }
        return key is not null && first is { } epoch
            ? new TrustedAuditor(key, epoch)
            : throw new TrustAnchorException("An auditor of a trust anchor must have the members key and first_epoch.");
    }

    private static JsonElement.ObjectEnumerator Members(JsonElement json, string what) =>
        json.ValueKind == JsonValueKind.Object
            ? json.EnumerateObject()
            : throw new TrustAnchorException($"{what} of a trust anchor is not an object.");

    // Returns a whole number from JSON. Accepts only plain digits, without a fraction or an exponent.
    private static ulong Number(JsonProperty member, ulong least, ulong most) =>
        member.Value.ValueKind == JsonValueKind.Number && member.Value.TryGetUInt64(out ulong number) && number >= least && number <= most
            && member.Value.GetRawText().All(char.IsAsciiDigit)
            ? number
            : throw new TrustAnchorException($"{member.Name} of a trust anchor is not a whole number from {least} to {most}.");
}
