using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>KeyRules say which keys a request may be about.</summary>
/// <param name="MaxLength">Octets that a key of this log may have.</param>
/// <param name="Owner">Rights that must own each key; null where anyone may ask about any.</param>
internal readonly record struct KeyRules(int MaxLength, CallerRights? Owner)
{
    /// <summary>Throws <see cref="ProblemException"/>, with the field where the key stands, when the request may not be about it.</summary>
    public void Check(ReadOnlySpan<byte> key, string field)
    {
        if (key.IsEmpty || key.Length > MaxLength)
        {
            throw new ProblemException(new Problem(ProblemTypes.KeyLength, $"A key has 1 to {MaxLength} octets.", field));
        }
        if (Owner is not null && !Owner.Owns(key))
        {
            throw new ProblemException(CallerRights.NotOwn(field));
        }
    }
}
