using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>The rules for the keys that a request may ask about.</summary>
/// <param name="MaxLength">The largest number of bytes of a key in this log.</param>
/// <param name="Owner">The rights that must own each key; null where anyone may ask about any key.</param>
internal readonly record struct AllowedKeys(int MaxLength, CallerRights? Owner)
{
    /// <summary>
    /// Throws <see cref="ProblemException"/>, which names the key's field in the request, when the request may not ask about the key.
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
