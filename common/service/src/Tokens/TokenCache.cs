using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Remembers tokens whose signatures were verified, by their SHA-256 hashes, in memory of limited size. The cache has two generations. When
/// the newer generation is full, the older generation is evicted. If a caller presents an evicted token again, its signature is verified
/// again. Any thread may use the cache.
/// </summary>
internal sealed class TokenCache
{
    // The highest total number of characters of a generation's tokens. The limit counts characters, because the memory for a token is
    // proportional to its length.
    private const long MaxGenerationLength = 8 << 20;

    private readonly long _maxLength;
    private readonly Lock _turn = new();
    private volatile Generation _young = new();
    private volatile Generation _old = new();

    public TokenCache()
        : this(MaxGenerationLength)
    {
    }

    internal TokenCache(long maxGenerationLength) => _maxLength = maxGenerationLength;

    /// <summary>Finds a verified token by the hash of its text.</summary>
    public bool TryGet(Digest digest, [NotNullWhen(true)] out VerifiedToken? token) =>
        _young.Tokens.TryGetValue(digest, out token) || _old.Tokens.TryGetValue(digest, out token);

    /// <summary>Adds a verified token whose text has this hash and length.</summary>
    public void Add(Digest digest, int length, VerifiedToken token)
    {
        lock (_turn)
        {
            if (_young.Length + length > _maxLength)
            {
                _old = _young;
                _young = new Generation();
            }
            if (_young.Tokens.TryAdd(digest, token))
            {
                _young.Length += length;
            }
        }
    }

    private sealed class Generation
    {
        public ConcurrentDictionary<Digest, VerifiedToken> Tokens { get; } = new();

        public long Length { get; set; }
    }
}
