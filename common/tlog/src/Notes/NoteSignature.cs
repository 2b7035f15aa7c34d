using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Tlog;

/// <summary>Holds one signature line of a note. The signature is not verified. Immutable.</summary>
public sealed class NoteSignature
{
    private const int KeyIdLength = sizeof(uint);

    /// <summary>Makes a signature line from its parts. Throws <see cref="ArgumentException"/> if the name is not a valid key name or if the
    /// signature is empty.</summary>
    public NoteSignature(string name, uint keyId, ReadOnlyMemory<byte> signature)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (!StrictText.IsKeyName(name))
        {
            throw new ArgumentException("A key name must not be empty or contain a space or '+'.", nameof(name));
        }
        if (signature.IsEmpty)
        {
            throw new ArgumentException("A signature has at least one byte.", nameof(signature));
        }
        Name = name;
        KeyId = keyId;
        Signature = signature;
    }

    /// <summary>The name of the key that is claimed to have made the signature.</summary>
    public string Name { get; }

    /// <summary>The ID of the key that is claimed to have made the signature.</summary>
    public uint KeyId { get; }

    /// <summary>The bytes after the key ID. A signature of type 0x01 has 64 bytes; a cosignature of type 0x04 has 8 bytes (the timestamp)
    /// and 64 bytes.</summary>
    public ReadOnlyMemory<byte> Signature { get; }

    // The em dash U+2014 and a space, with which each signature line begins.
    private static ReadOnlySpan<byte> Prefix => [0xe2, 0x80, 0x94, 0x20];

    /// <summary>Parses a signature line without its newline. The line may come from a note or from a witness's answer.</summary>
    public static bool TryParseLine(ReadOnlySpan<byte> line, [NotNullWhen(true)] out NoteSignature? signature, out TlogError error)
    {
        signature = null;
        error = StrictText.CheckCharacters(line);
        if (error != TlogError.None)
        {
            return false;
        }
        error = TlogError.MalformedSignatureLine;
        if (!line.StartsWith(Prefix))
        {
            return false;
        }
        ReadOnlySpan<byte> rest = line[Prefix.Length..];
        int space = rest.IndexOf((byte)' ');
        if (space < 0)
        {
            return false;
        }
        string name = Encoding.UTF8.GetString(rest[..space]);
        if (!StrictText.IsKeyName(name))
        {
            error = TlogError.BadKeyName;
            return false;
        }
        if (!StrictText.TryDecodeBase64(rest[(space + 1)..], out byte[] blob))
        {
            error = TlogError.BadBase64;
            return false;
        }
        if (blob.Length <= KeyIdLength)
        {
            error = TlogError.SignatureTooShort;
            return false;
        }
        signature = new NoteSignature(name, BinaryPrimitives.ReadUInt32BigEndian(blob), blob.AsMemory(KeyIdLength));
        error = TlogError.None;
        return true;
    }

    /// <summary>Returns the signature line without its newline.</summary>
    public string ToLine()
    {
        byte[] blob = new byte[KeyIdLength + Signature.Length];
        BinaryPrimitives.WriteUInt32BigEndian(blob, KeyId);
        Signature.Span.CopyTo(blob.AsSpan(KeyIdLength));
        return $"— {Name} {Convert.ToBase64String(blob)}";
    }

    /// <summary>Returns whether the line has the name and key ID of a key. Does not verify the signature.</summary>
    public bool IsBy(VerifierKey key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return KeyId == key.KeyId && string.Equals(Name, key.Name, StringComparison.Ordinal);
    }
}
