using System.Security.Cryptography;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

/// <summary>
/// Reads the part that the files of tests/vectors/users and tests/vectors/periods have in common, which is the verifier's own inputs.
/// </summary>
internal static class AnswerVectorFiles
{
    public static VerifierContext Context(JsonDocument file, JsonElement vector)
    {
        JsonElement anchor = file.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()];
        byte[] configuration = Hex(anchor.GetProperty("configuration"));
        bool hasCheckpoint = vector.TryGetProperty("checkpoint", out JsonElement checkpoint);
        return new VerifierContext
        {
            Anchor = TrustAnchor.Create(
                configuration,
                new VerifierKey(Configuration.Decode(configuration).Origin, SignatureType.Ed25519, Hex(anchor.GetProperty("log_key")))),
            NowMs = vector.GetProperty("now_ms").GetUInt64(),
            KeptSize = hasCheckpoint ? checkpoint.GetProperty("size").GetUInt64() : 0,
            KeptRoot = hasCheckpoint ? Hex(checkpoint.GetProperty("root")) : default,
            KeptRecord = vector.TryGetProperty("record", out JsonElement record) ? Hex(record) : default,
            KeptPeriodRecord = vector.TryGetProperty("period_record", out JsonElement period) ? Hex(period) : default,
            EndedRecord = vector.TryGetProperty("ended_record", out JsonElement ended) ? Hex(ended) : default,
        };
    }

    /// <summary>Returns the end state that a vector describes, with the hash of its value.</summary>
    public static EndState End(JsonElement end) => new(
        end.GetProperty("period").GetUInt64(),
        end.GetProperty("last_epoch").GetUInt64(),
        end.GetProperty("version").GetUInt64(),
        end.GetProperty("value").ValueKind == JsonValueKind.Null ? default : SHA256.HashData(Hex(end.GetProperty("value"))));

    public static byte[] Hex(JsonElement text) => Convert.FromHexString(text.GetString()!);
}
