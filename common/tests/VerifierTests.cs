using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

/// <summary>
/// Tests the native verifier, which C# calls, with answers of the Python reference. The tests also show that offsets, arrays and structs
/// are passed correctly between C# and the library.
/// </summary>
public sealed class VerifierTests
{
    [Fact]
    public void Anchors_give_the_log_ids_of_the_reference()
    {
        foreach (AnswerVectors vectors in AnswerVectors.LoadAll())
        {
            for (int i = 0; i < vectors.Configurations.Count; i++)
            {
                Assert.Equal(Reason.Valid, LogVerifier.Anchor(vectors.Configurations[i], vectors.LogKeys[i], out byte[] logId));
                Assert.Equal(vectors.LogIds[i], logId);
                Assert.Equal(vectors.LogIds[i], Configuration.LogId(vectors.Configurations[i], vectors.LogKeys[i]));
            }
        }
        byte[] otherFormat = new Configuration { Origin = "example.com/log" }.Encode();
        otherFormat[1] = 9;
        Assert.Equal(Reason.Configuration, LogVerifier.Anchor(otherFormat, new byte[32], out _));
        Assert.Equal(Reason.MalformedTruncated, LogVerifier.Anchor(otherFormat.AsSpan(..^1), new byte[32], out _));
    }

    [Fact]
    public void Every_answer_of_the_reference_gets_its_reason_and_results()
    {
        int valid = 0;
        int invalid = 0;
        foreach (AnswerVectors vectors in AnswerVectors.LoadAll())
        {
            foreach (AnswerVector vector in vectors.Vectors)
            {
                string reason = Judge(vectors, vector).Name();
                Assert.Equal(vector.Reason, reason);
                _ = reason == "valid" ? valid++ : invalid++;
            }
        }
        Assert.True(valid > 50, $"{valid} valid answers");
        Assert.True(invalid > 300, $"{invalid} invalid answers");
    }

    [Fact]
    public void Answers_that_verify_decode_and_render()
    {
        foreach (AnswerVectors vectors in AnswerVectors.LoadAll())
        {
            foreach (AnswerVector vector in vectors.Vectors.Where(vector => vector.Reason == "valid"))
            {
                using var json = System.Text.Json.JsonDocument.Parse(Rendering.Of(writer =>
                {
                    switch (vector.Form)
                    {
                        case "lookup":
                            AnswerJson.WriteLookupAnswer(writer, vector.Answer);
                            break;
                        case "audit":
                            AnswerJson.WriteAuditProof(writer, vector.Answer);
                            break;
                        default:
                            AnswerJson.WriteVersionsAnswer(writer, vector.Answer);
                            break;
                    }
                }));
                Assert.Equal(System.Text.Json.JsonValueKind.Object, json.RootElement.ValueKind);
            }
        }
    }

    [Fact]
    public void Every_malformed_answer_is_refused_for_display_with_the_same_reason()
    {
        int count = 0;
        foreach (AnswerVectors vectors in AnswerVectors.LoadAll())
        {
            foreach (AnswerVector vector in vectors.Vectors.Where(
                vector => vector.Reason.StartsWith("malformed", StringComparison.Ordinal)))
            {
                EncodingException refused = Assert.Throws<EncodingException>(() =>
                {
                    _ = vector.Form switch
                    {
                        "lookup" => (object)LookupAnswer.Decode(vector.Answer),
                        "audit" => AuditProof.Decode(vector.Answer),
                        _ => VersionsAnswer.Decode(vector.Answer),
                    };
                });
                Assert.Equal(vector.Reason, refused.Reason.Name());
                count++;
            }
        }
        Assert.True(count > 0);
    }

    private static Reason Judge(AnswerVectors vectors, AnswerVector vector)
    {
        Configuration configuration = Configuration.Decode(vectors.Configurations[vector.Anchor]);
        var context = new VerifierContext
        {
            Anchor = TrustAnchor.Create(
                vectors.Configurations[vector.Anchor],
                new VerifierKey(configuration.Origin, SignatureType.Ed25519, vectors.LogKeys[vector.Anchor])),
            NowMs = vector.NowMs,
            KeptSize = vector.Checkpoint?.Size ?? 0,
            KeptRoot = vector.Checkpoint?.Root,
            KeptRecord = vector.Record,
            KeptPeriodRecord = vector.Stored is null ? vector.PeriodRecord : default(ReadOnlyMemory<byte>),
        };
        using var keys = new ByteStrings();
        var known = new KnownKey[vector.Keys.Count];
        for (int i = 0; i < known.Length; i++)
        {
            keys.Add(vector.Keys[i]);
            KnownVector? state = vector.Known?[i];
            known[i] = new KnownKey(vector.LeastEpochs?[i] ?? 0, state?.Period ?? 0, state?.Version ?? 0, state?.PageTime ?? 0,
                state?.AbsentAt, state?.PageVersion ?? 0);
        }
        switch (vector.Form)
        {
            case "lookup":
                LookupVerdict lookup = Verifier.Lookup(context, keys, known, vector.Answer);
                if (lookup.Reason == Reason.Valid)
                {
                    CheckLookup(vector, lookup);
                }
                return lookup.Reason;
            case "audit":
                AuditVerdict audit = Verifier.Audit(context, vector.Stored!, vector.PeriodRecord, vector.Answer);
                Assert.Equal(audit.Reason == Reason.Valid ? EpochRecord.Length : 0, audit.NewRecord.Length);
                Assert.Equal(vector.Structures, audit.Structures);
                if (audit.Reason == Reason.Valid)
                {
                    Assert.Equal(AuditProof.Decode(vector.Answer).Records[^1].ToArray(), audit.NewRecord.ToArray());
                }
                return audit.Reason;
            default:
                VersionsVerdict versions = Verifier.Versions(context, keys, known, vector.Answer);
                if (versions.Reason == Reason.Valid)
                {
                    CheckVersions(vector, versions);
                }
                return versions.Reason;
        }
    }

    private static void CheckLookup(AnswerVector vector, LookupVerdict verdict)
    {
        Assert.Null(verdict.FailedKey);
        Assert.Equal(vector.Answer[..EpochRecord.Length], vector.Answer[verdict.Head!.Record]);
        Assert.Equal(EpochRecord.Decode(vector.Answer[verdict.Head.Record]).Epoch, verdict.Head.Epoch);
        Assert.Equal(vector.Results.Count, verdict.Keys.Count);
        for (int i = 0; i < vector.Results.Count; i++)
        {
            ResultVector expected = vector.Results[i];
            VerifiedLookup actual = verdict.Keys[i];
            Assert.Equal(expected.Version, actual.Version);
            Assert.Equal(expected.Values.GetValueOrDefault(expected.Version), actual.Value is { } range ? vector.Answer[range] : null);
        }
    }

    private static void CheckVersions(AnswerVector vector, VersionsVerdict verdict)
    {
        Assert.Equal(vector.Results.Count, verdict.Keys.Count);
        for (int i = 0; i < vector.Results.Count; i++)
        {
            ResultVector expected = vector.Results[i];
            VerifiedVersions actual = verdict.Keys[i];
            Assert.Equal(expected.Version, actual.Version);
            Assert.Equal(expected.Complete, actual.Complete);
            Assert.Equal(
                expected.Values.OrderBy(value => value.Key)
                    .Select(value => (value.Key, value.Value is null ? null : Convert.ToHexString(value.Value))),
                actual.Members.Select(member =>
                    (member.Version, member.Value is { } range ? Convert.ToHexString(vector.Answer[range]) : null)));
        }
    }
}
