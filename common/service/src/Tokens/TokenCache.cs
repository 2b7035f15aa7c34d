using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Remembers tokens with a verified signature, by their SHA-256, in bounded memory. The cache has two generations; the older generation is
/// evicted when the newer one is full. If an evicted token returns, its signature is verified once more. Any thread.
/// </summary>
internal sealed class TokenCache
{
    // This limit counts the characters of the tokens, because a token's memory is proportional to its length.
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

    /// <summary>Finds a token by the hash of its text.</summary>
    public bool TryGet(Digest digest, [NotNullWhen(true)] out VerifiedToken? token) => _young.Tokens.TryGetValue(digest, out token) || _old.Tokens.TryGetValue(digest, out token);

    /// <summary>Adds a token whose text has this hash and length.</summary>
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
