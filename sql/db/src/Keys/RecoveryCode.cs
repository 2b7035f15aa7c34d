using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Optiks.Db.Keys;

/// <summary>
/// The code that decrypts a backup of keys. It is 160 random bits, written in groups of four base32 characters, of which no two are easily
/// confused. The code is random and not chosen by a person, so nobody can guess it, and it needs no deliberately slow hash function.
/// </summary>
internal sealed class RecoveryCode : IDisposable
{
    // The alphabet of Crockford's base32, which lacks I, L, O and U.
    private const string Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private const int Letters = 32;
    private const int BitsPerLetter = 5;
    private const int GroupLength = 4;

    private readonly byte[] _octets;

    private RecoveryCode(byte[] octets) => _octets = octets;

    /// <summary>Generates a random code.</summary>
    public static RecoveryCode Generate() => new(RandomNumberGenerator.GetBytes(Letters * BitsPerLetter / 8));

    /// <summary>
    /// Parses a code as a person may type it, in upper or lower case, with or without blanks and hyphens. Reads I and L as 1, and O as 0.
    /// </summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out RecoveryCode? code)
    {
        byte[] octets = new byte[Letters * BitsPerLetter / 8];
        int bits = 0;
        foreach (char letter in text.ToUpperInvariant().Where(letter => letter != '-' && !char.IsWhiteSpace(letter)))
        {
            int value = Alphabet.IndexOf(letter switch { 'I' or 'L' => '1', 'O' => '0', _ => letter }, StringComparison.Ordinal);
            if (value < 0 || bits == Letters * BitsPerLetter)
            {
                code = null;
                return false;
            }
            for (int i = BitsPerLetter - 1; i >= 0; i--, bits++)
            {
                octets[bits / 8] |= (byte)((value >> i & 1) << (7 - (bits % 8)));
            }
        }
        code = bits == Letters * BitsPerLetter ? new RecoveryCode(octets) : null;
        return code is not null;
    }

    /// <summary>Derives the encryption key of one backup. The result has 32 bytes, and the caller must overwrite it after use.</summary>
    public byte[] DeriveKey(ReadOnlySpan<byte> salt)
    {
        byte[] key = new byte[32];
        HKDF.DeriveKey(HashAlgorithmName.SHA256, _octets, key, salt, "optiks-backup key"u8);
        return key;
    }

    /// <summary>Returns the code as text in its printed form. The text is secret.</summary>
    public string ToText()
    {
        var text = new StringBuilder();
        for (int letter = 0; letter < Letters; letter++)
        {
            int value = 0;
            for (int bit = letter * BitsPerLetter; bit < (letter + 1) * BitsPerLetter; bit++)
            {
                value = (value << 1) | (_octets[bit / 8] >> (7 - (bit % 8)) & 1);
            }
            _ = text.Append(letter > 0 && letter % GroupLength == 0 ? "-" : "").Append(Alphabet[value]);
        }
        return text.ToString();
    }

    public void Dispose() => CryptographicOperations.ZeroMemory(_octets);
}
