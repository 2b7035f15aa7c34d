using System.Text.Unicode;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>The decoded contents of a file with a saved answer. Nothing in the answer has been verified.</summary>
internal abstract record SavedAnswer
{
    public sealed record OfLookups(LookupAnswer Answer) : SavedAnswer;

    public sealed record OfVersions(VersionsAnswer Answer) : SavedAnswer;

    public sealed record OfUsers(UserLookupAnswer Answer) : SavedAnswer;

    public sealed record OfOwnUser(UserMonitorAnswer Answer) : SavedAnswer;

    public sealed record OfPeriods(PeriodsAnswer Answer) : SavedAnswer;

    public sealed record OfAudit(AuditProof Proof) : SavedAnswer;

    public sealed record OfHead(AnswerHead Head) : SavedAnswer;

    public sealed record OfRecord(EpochRecord Record) : SavedAnswer;

    public sealed record OfCheckpoint(ReadOnlyMemory<byte> Note) : SavedAnswer;

    /// <summary>
    /// Finds the kind of answer by decoding. The encodings are so strict that the octets of an answer decode as at most one kind. Throws
    /// <see cref="EncodingException"/> if they decode as no kind.
    /// </summary>
    public static SavedAnswer Read(ReadOnlyMemory<byte> octets)
    {
        ReadOnlySpan<byte> text = octets.Span.TrimStart(" \r\n\t"u8);
        if (text.StartsWith("{"u8))
        {
            return JsonAnswerReader.Read(octets);
        }
        if (Utf8.IsValid(octets.Span) && octets.Span.IndexOf("\n\n\u2014 "u8) > 0)
        {
            return new OfCheckpoint(octets);
        }
        if (octets.Length == EpochRecord.Length)
        {
            return new OfRecord(EpochRecord.Decode(octets.Span));
        }
        return TryDecode(() => new OfLookups(LookupAnswer.Decode(octets)))
            ?? TryDecode(() => new OfVersions(VersionsAnswer.Decode(octets)))
            ?? TryDecode(() => new OfUsers(UserLookupAnswer.Decode(octets)))
            ?? TryDecode(() => new OfOwnUser(UserMonitorAnswer.Decode(octets)))
            ?? TryDecode(() => new OfPeriods(PeriodsAnswer.Decode(octets)))
            ?? TryDecode(() => new OfAudit(AuditProof.Decode(octets)))
            ?? TryDecode(() => new OfHead(AnswerHead.Decode(octets)))
            ?? throw Malformed(octets);
    }

    // Returns the error of decoding the octets as a lookup answer. The octets decode as no kind of answer, so the error of any other kind
    // would be equally correct.
    private static EncodingException Malformed(ReadOnlyMemory<byte> octets)
    {
        Reason reason = Reason.MalformedTruncated;
        try
        {
            LookupAnswer.Decode(octets);
        }
        catch (EncodingException e)
        {
            reason = e.Reason;
        }
        return new EncodingException(reason, $"these {octets.Length} octets are not an answer, a record, an audit proof or a checkpoint");
    }

    private static SavedAnswer? TryDecode(Func<SavedAnswer> decode)
    {
        try
        {
            return decode();
        }
        catch (EncodingException)
        {
            return null;
        }
    }
}
