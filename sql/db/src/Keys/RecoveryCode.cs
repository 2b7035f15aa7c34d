using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Optiks.Db.Keys;

/// <summary>
/// The code that opens a backup of keys: 160 random bits in base32, without letters and digits that are easily confused, in groups of four.
/// The code is generated and not chosen, so nobody can guess it, and no deliberately slow hash function is needed.
/// </summary>
internal sealed class RecoveryCode : IDisposable
{
    // The alphabet of Crockford's base32, without I, L, O and U.
    private const string Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private const int Letters = 32;
    private const int BitsPerLetter = 5;
    private const int GroupLength = 4;

    private readonly byte[] _octets;

    private RecoveryCode(byte[] octets) => _octets = octets;

    /// <summary>Generates a code.</summary>
    public static RecoveryCode Generate() => new(RandomNumberGenerator.GetBytes(Letters * BitsPerLetter / 8));

    /// <summary>
    /// Parses a code as people write it, in upper or lower case, with or without blanks and hyphens. I and L stand for 1, and O for 0.
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

    /// <summary>Derives the encryption key of one backup, 32 bytes that the caller must overwrite after use.</summary>
    public byte[] DeriveKey(ReadOnlySpan<byte> salt)
    {
        byte[] key = new byte[32];
        HKDF.DeriveKey(HashAlgorithmName.SHA256, _octets, key, salt, "optiks-backup key"u8);
        return key;
    }

    /// <summary>Returns the code, which is secret, in its printed form.</summary>
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
