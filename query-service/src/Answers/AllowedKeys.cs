using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>Checks whether a request may ask about a key.</summary>
/// <param name="MaxLength">The largest number of bytes of a key in this log.</param>
/// <param name="Owner">The rights of the caller, which must include each key; null if anyone may ask about any key.</param>
internal readonly record struct AllowedKeys(int MaxLength, CallerRights? Owner)
{
    /// <summary>
    /// Throws <see cref="ProblemException"/> if the request may not ask about the key. The problem names the key's <paramref name="field"/>
    /// in the request.
    /// </summary>
    public void Check(ReadOnlySpan<byte> key, string field)
    {
        if (key.IsEmpty || key.Length > MaxLength)
        {
            throw new ProblemException(new Problem(ProblemTypes.KeyLength, $"A key must have 1 to {MaxLength} bytes.", field));
        }
        if (Owner is not null && !Owner.Owns(key))
        {
            throw new ProblemException(CallerRights.NotOwn(field));
        }
    }
}
