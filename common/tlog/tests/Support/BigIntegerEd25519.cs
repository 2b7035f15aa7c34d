using System.Globalization;
using System.Numerics;
using System.Security.Cryptography;

namespace Optiks.Tlog.Tests;

/// <summary>Implements Ed25519 by following RFC 8032 section 5.1 step by step. The class is for these tests only, because it is slow and
/// its timing reveals the key.</summary>
internal sealed class BigIntegerEd25519 : IEd25519Verifier
{
    private static readonly BigInteger P = BigInteger.Pow(2, 255) - 19;
    private static readonly BigInteger L =
        BigInteger.Pow(2, 252) + BigInteger.Parse("27742317777372353535851937790883648493", CultureInfo.InvariantCulture);

    private static readonly BigInteger D = Mod(-121665 * Inverse(121666));
    private static readonly BigInteger SqrtMinusOne = BigInteger.ModPow(2, (P - 1) / 4, P);
    private static readonly Point Base = Decode(Encode(Mod(4 * Inverse(5)), false))!.Value;

    public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
    {
        if (publicKey.Length != 32 || signature.Length != 64)
        {
            return false;
        }
        Point? key = Decode(publicKey);
        Point? r = Decode(signature[..32]);
        BigInteger s = ReadLittleEndian(signature[32..]);
        if (key is null || r is null || s >= L)
        {
            return false;
        }
        BigInteger k = Hash(signature[..32], publicKey, message);
        return Encode(Multiply(Base, s)).AsSpan().SequenceEqual(Encode(Add(r.Value, Multiply(key.Value, k))));
    }

    public static byte[] PublicKey(ReadOnlySpan<byte> seed) => Encode(Multiply(Base, Scalar(SHA512.HashData(seed))));

    public static byte[] Sign(ReadOnlySpan<byte> seed, ReadOnlySpan<byte> message)
    {
        byte[] expanded = SHA512.HashData(seed);
        BigInteger secret = Scalar(expanded);
        byte[] publicKey = Encode(Multiply(Base, secret));
        BigInteger nonce = Hash(expanded.AsSpan(32), message, []);
        byte[] r = Encode(Multiply(Base, nonce));
        BigInteger s = (nonce + (Hash(r, publicKey, message) * secret)) % L;
        return [.. r, .. WriteLittleEndian(s)];
    }

    private static BigInteger Scalar(byte[] expanded)
    {
        byte[] low = expanded[..32];
        low[0] &= 0xf8;
        low[31] = (byte)((low[31] & 0x7f) | 0x40);
        return ReadLittleEndian(low);
    }

    private static BigInteger Hash(ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, ReadOnlySpan<byte> c) =>
        ReadLittleEndian(SHA512.HashData([.. a, .. b, .. c])) % L;

    private static BigInteger ReadLittleEndian(ReadOnlySpan<byte> bytes) => new(bytes, isUnsigned: true);

    private static byte[] WriteLittleEndian(BigInteger value)
    {
        byte[] bytes = new byte[32];
        value.ToByteArray(isUnsigned: true).CopyTo(bytes, 0);
        return bytes;
    }

    private static BigInteger Mod(BigInteger value)
    {
        BigInteger rest = value % P;
        return rest.Sign < 0 ? rest + P : rest;
    }

    private static BigInteger Inverse(BigInteger value) => BigInteger.ModPow(value, P - 2, P);

    private static byte[] Encode(BigInteger y, bool sign)
    {
        byte[] bytes = WriteLittleEndian(y);
        bytes[31] |= (byte)(sign ? 0x80 : 0);
        return bytes;
    }

    private static byte[] Encode(Point point)
    {
        BigInteger z = Inverse(point.Z);
        return Encode(Mod(point.Y * z), !Mod(point.X * z).IsEven);
    }

    private static Point? Decode(ReadOnlySpan<byte> bytes)
    {
        byte[] copy = bytes.ToArray();
        bool sign = copy[31] >= 0x80;
        copy[31] &= 0x7f;
        BigInteger y = ReadLittleEndian(copy);
        BigInteger square = Mod(((y * y) - 1) * Inverse(Mod((D * y * y) + 1)));
        BigInteger x = BigInteger.ModPow(square, (P + 3) / 8, P);
        if (Mod(x * x) != square)
        {
            x = Mod(x * SqrtMinusOne);
        }
        if (y >= P || Mod(x * x) != square || (x.IsZero && sign))
        {
            return null;
        }
        x = x.IsEven == sign ? Mod(-x) : x;
        return new Point(x, y, BigInteger.One, Mod(x * y));
    }

    private static Point Add(Point p, Point q)
    {
        BigInteger a = Mod((p.Y - p.X) * (q.Y - q.X));
        BigInteger b = Mod((p.Y + p.X) * (q.Y + q.X));
        BigInteger c = Mod(2 * p.T * q.T * D);
        BigInteger d = Mod(2 * p.Z * q.Z);
        return new Point(Mod((b - a) * (d - c)), Mod((d + c) * (b + a)), Mod((d - c) * (d + c)), Mod((b - a) * (b + a)));
    }

    private static Point Multiply(Point point, BigInteger scalar)
    {
        var result = new Point(0, 1, 1, 0);
        for (long bit = (long)scalar.GetBitLength() - 1; bit >= 0; bit--)
        {
            result = Add(result, result);
            if (!((scalar >> (int)bit) & 1).IsZero)
            {
                result = Add(result, point);
            }
        }
        return result;
    }

    /// <summary>Holds a point in extended coordinates: x = X/Z, y = Y/Z, x*y = T/Z.</summary>
    private readonly record struct Point(BigInteger X, BigInteger Y, BigInteger Z, BigInteger T);
}
