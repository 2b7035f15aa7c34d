using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>
/// Reads and writes a file with the keys of one host: the key ring, the log key and the trust anchor. A <see cref="RecoveryCode"/> encrypts
/// the file (docs/spec/wrapping.md section 5). Without this code, a reader learns only to which log the file belongs. Immutable.
/// </summary>
internal sealed record KeyBackup
{
    private const int Format = 1;
    private const int SaltLength = 16;
    private const int NonceLength = 12;
    private const int TagLength = 16;
    private const int MaxLength = 1 << 20;

    private static readonly JsonSerializerOptions s_strict =
        new()
        {
            PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
            UnmappedMemberHandling = System.Text.Json.Serialization.JsonUnmappedMemberHandling.Disallow,
            RespectRequiredConstructorParameters = true,
            RespectNullableAnnotations = true,
        };

    private KeyBackup(Outer outer) => File = outer;

    /// <summary>The log's origin, according to the unencrypted part of the file.</summary>
    public string Origin => File.Origin;

    /// <summary>The log's id in hexadecimal digits, according to the unencrypted part of the file.</summary>
    public string LogId => File.LogId;

    /// <summary>The time of the backup, according to the unencrypted part of the file.</summary>
    public DateTimeOffset Made => DateTimeOffset.FromUnixTimeMilliseconds(File.MadeMs);

    private Outer File { get; }

    /// <summary>Creates a backup of keys, encrypted with a recovery code.</summary>
    public static KeyBackup Seal(BackedUpKeys keys, TrustAnchor anchor, DateTimeOffset now, RecoveryCode code)
    {
        byte[] salt = RandomNumberGenerator.GetBytes(SaltLength);
        var outer = new Outer(Format, anchor.Configuration.Origin, Convert.ToHexStringLower(anchor.LogId.Span),
            now.ToUnixTimeMilliseconds(), salt, []);
        byte[] plain = JsonSerializer.SerializeToUtf8Bytes(keys, s_strict);
        byte[] key = code.DeriveKey(salt);
        try
        {
            byte[] seal = new byte[NonceLength + plain.Length + TagLength];
            RandomNumberGenerator.Fill(seal.AsSpan(..NonceLength));
            using var aes = new AesGcm(key, TagLength);
            aes.Encrypt(seal.AsSpan(..NonceLength), plain, seal.AsSpan(NonceLength, plain.Length), seal.AsSpan(^TagLength..),
                AssociatedData(outer));
            return new KeyBackup(outer with { Sealed = seal });
        }
        finally
        {
            CryptographicOperations.ZeroMemory(plain);
            CryptographicOperations.ZeroMemory(key);
        }
    }

    /// <summary>Reads a backup's file, without decrypting it. Throws <see cref="SecretsException"/> if the file is not a backup.</summary>
    public static KeyBackup Read(string path)
    {
        try
        {
            using var stream = new FileStream(path, FileMode.Open, FileAccess.Read);
            if (stream.Length <= MaxLength
                && JsonSerializer.Deserialize<Outer>(stream,
                    s_strict) is { Format: Format, Salt.Length: SaltLength, MadeMs: >= 0 and < 253_402_300_800_000 } outer
                && outer.Sealed.Length >= NonceLength + TagLength && outer.LogId.Length == 64 && outer.LogId.All(char.IsAsciiHexDigitLower))
            {
                return new KeyBackup(outer);
            }
        }
        catch (JsonException)
        {
            // The error below reports a file that is not JSON in the same way as a file in another format.
        }
        throw new SecretsException($"{path} is not a backup of keys of this release: 'optiks-db key backup' makes one.");
    }

    /// <summary>Decrypts and returns the keys. Throws <see cref="SecretsException"/> if the code is wrong or the file was
    /// changed.</summary>
    public BackedUpKeys Open(RecoveryCode code)
    {
        byte[] key = code.DeriveKey(File.Salt);
        byte[] plain = GC.AllocateUninitializedArray<byte>(File.Sealed.Length - NonceLength - TagLength, pinned: true);
        try
        {
            using var aes = new AesGcm(key, TagLength);
            aes.Decrypt(File.Sealed.AsSpan(..NonceLength), File.Sealed.AsSpan(NonceLength, plain.Length), File.Sealed.AsSpan(^TagLength..),
                plain, AssociatedData(File));
            return JsonSerializer.Deserialize<BackedUpKeys>(plain, s_strict)!;
        }
        catch (AuthenticationTagMismatchException e)
        {
            throw new SecretsException(
                "The backup does not open: the recovery code belongs to another backup, or the file was changed.", e);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
            CryptographicOperations.ZeroMemory(plain);
        }
    }

    /// <summary>Returns the bytes of the file.</summary>
    public byte[] Encode() => [.. JsonSerializer.SerializeToUtf8Bytes(File, s_strict), .. "\n"u8];

    private static byte[] AssociatedData(Outer outer)
    {
        byte[] origin = Encoding.UTF8.GetBytes(outer.Origin);
        byte[] numbers = new byte[10];
        BinaryPrimitives.WriteInt64BigEndian(numbers, outer.MadeMs);
        BinaryPrimitives.WriteUInt16BigEndian(numbers.AsSpan(8), checked((ushort)origin.Length));
        return [.. "optiks-backup"u8, Format, .. Convert.FromHexString(outer.LogId), .. numbers, .. origin, .. outer.Salt];
    }

    private sealed record Outer(int Format, string Origin, string LogId, long MadeMs, byte[] Salt, byte[] Sealed);
}
