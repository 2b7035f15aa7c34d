using System.Net;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Accesses a bucket of Amazon S3, or of a storage with the same protocol, with conditional writes. Any thread may use it. Members throw
/// <see cref="ObjectStoreException"/> if the bucket gives no usable answer. If a write fails in this way, the caller does not know whether
/// the bucket carried the write out.
/// </summary>
/// <remarks>
/// Each operation has one deadline, which includes the last byte of the answer, and each answer has a maximum length. These limits are
/// necessary because epochs wait for some of the operations.
/// </remarks>
internal sealed class S3ObjectStore : IDisposable
{
    // The S3 library retries a request only once, because the caller of this class retries the whole operation.
    private const int Retries = 1;
    private const int BufferLength = 64 * 1024;
    private const int MaxKeys = 1000;

    private readonly AmazonS3Client _client;
    private readonly string _bucket;
    private readonly string _prefix;
    private readonly TimeSpan _timeout;

    public S3ObjectStore(BucketOptions options)
    {
        var config = new AmazonS3Config
        {
            AuthenticationRegion = options.Region,
            ForcePathStyle = options.PathStyle,
            HttpClientFactory = new BucketHttp(),
            MaxErrorRetry = Retries,
            // The library sends its newer checksums only where they are required, because few storages other than Amazon's support them.
            // They are not needed, because each request's signature covers its body.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (options.ServiceUrl.Length > 0)
        {
            config.ServiceURL = options.ServiceUrl;
        }
        else
        {
            config.RegionEndpoint = Amazon.RegionEndpoint.GetBySystemName(options.Region);
        }
        _client = new AmazonS3Client(config);
        _bucket = options.Name;
        _prefix = options.Prefix;
        _timeout = options.Timeout;
    }

    /// <summary>
    /// Whether the conditions of writes contain entity tags without quotes. Ceph's gateway in Debian 12 needs this, because it compares the
    /// tag in the condition with its own tag without quotes. The class <see cref="BucketProbe"/> sets this property.
    /// </summary>
    public bool SendsBareTags { get; set; }

    /// <summary>
    /// Reads an object; returns null if the object does not exist. If the object is longer than the limit in the parameter
    /// <paramref name="maxLength"/>, returns only its first bytes, one byte more than the limit, so that the caller notices.
    /// </summary>
    public async Task<StoredObject?> GetAsync(string key, int maxLength, CancellationToken cancellationToken)
    {
        using AnswerDeadline deadline = Begin(cancellationToken);
        try
        {
            using GetObjectResponse response =
                await _client.GetObjectAsync(new GetObjectRequest { BucketName = _bucket, Key = _prefix + key }, deadline.Token);
            using var octets = new MemoryStream();
            byte[] buffer = new byte[BufferLength];
            // The loop counts the bytes that it reads, because the length in the answer's header may be wrong.
            while (octets.Length <= maxLength)
            {
                int read = await response.ResponseStream.ReadAsync(
                    buffer.AsMemory(0, (int)Math.Min(buffer.Length, maxLength + 1 - octets.Length)), deadline.Token);
                if (read == 0)
                {
                    break;
                }
                octets.Write(buffer, 0, read);
            }
            return new StoredObject(octets.ToArray(),
                response.ETag ?? throw new ObjectStoreException($"The bucket returned {key} without an entity tag."));
        }
        catch (AmazonS3Exception e) when (e.StatusCode == HttpStatusCode.NotFound && e.ErrorCode != "NoSuchBucket")
        {
            return null;
        }
        catch (Exception e) when (IsFailure(e, cancellationToken))
        {
            throw Failed(e);
        }
    }

    /// <summary>Creates an object. Returns false if the object exists already.</summary>
    public Task<bool> CreateAsync(string key, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken) =>
        PutAsync(key, octets, kind, request => request.IfNoneMatch = "*", cancellationToken);

    /// <summary>
    /// Replaces an object if its entity tag is the given tag. Returns false if the object has another tag or no longer exists.
    /// </summary>
    public Task<bool> ReplaceAsync(
        string key, string tag, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken) =>
        PutAsync(key, octets, kind, request => request.IfMatch = SendsBareTags ? tag.Trim('"') : tag, cancellationToken);

    /// <summary>Returns the keys of at most a thousand objects whose keys begin with the prefix.</summary>
    public async Task<IReadOnlyList<string>> ListAsync(string prefix, CancellationToken cancellationToken)
    {
        using AnswerDeadline deadline = Begin(cancellationToken);
        try
        {
            ListObjectsV2Response response = await _client.ListObjectsV2Async(
                new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix + prefix, MaxKeys = MaxKeys }, deadline.Token);
            return [.. (response.S3Objects ?? []).Select(found => found.Key)
                .Where(key => key.StartsWith(_prefix + prefix, StringComparison.Ordinal)).Take(MaxKeys)
                .Select(key => key[_prefix.Length..])];
        }
        catch (Exception e) when (IsFailure(e, cancellationToken))
        {
            throw Failed(e);
        }
    }

    /// <summary>Deletes an object, if it exists.</summary>
    public async Task DeleteAsync(string key, CancellationToken cancellationToken)
    {
        using AnswerDeadline deadline = Begin(cancellationToken);
        try
        {
            await _client.DeleteObjectAsync(new DeleteObjectRequest { BucketName = _bucket, Key = _prefix + key }, deadline.Token);
        }
        catch (Exception e) when (IsFailure(e, cancellationToken))
        {
            throw Failed(e);
        }
    }

    public void Dispose() => _client.Dispose();

    // Starts the deadline of one operation. The deadline covers all requests that the S3 library makes for the operation.
    private AnswerDeadline Begin(CancellationToken cancellationToken) => new(_timeout, TimeProvider.System, 0, cancellationToken);

    private static bool IsFailure(Exception e, CancellationToken cancellationToken) =>
        // An ArgumentException is among the bucket's failures, because the S3 library parses an answer's entity tag as a hash, and reports
        // an invalid tag as a bad argument.
        e is AmazonServiceException or AmazonClientException or HttpRequestException or IOException or TimeoutException or ArgumentException
            or System.Xml.XmlException || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested);

    private static ObjectStoreException Failed(Exception e) => new(
        e is AmazonServiceException { StatusCode: var status, ErrorCode: var code } ? $"The bucket answers {(int)status} {code}."
            : e is OperationCanceledException or TimeoutException ? "The bucket did not answer in time."
            : e is HttpRequestException or IOException ? $"The bucket cannot be reached: {ErrorText.Line(e.Message)}"
            : $"The bucket's answer cannot be used: {ErrorText.Line(e.Message)}",
        e);

    private async Task<bool> PutAsync(
        string key, ReadOnlyMemory<byte> octets, ObjectKind kind, Action<PutObjectRequest> condition, CancellationToken cancellationToken)
    {
        using var body = new MemoryStream(octets.ToArray(), writable: false);
        var request = new PutObjectRequest
        {
            BucketName = _bucket,
            Key = _prefix + key,
            InputStream = body,
            ContentType = kind.ContentType,
            UseChunkEncoding = false,
        };
        request.Headers.CacheControl = kind.CacheControl;
        condition(request);
        using AnswerDeadline deadline = Begin(cancellationToken);
        try
        {
            await _client.PutObjectAsync(request, deadline.Token);
            return true;
        }
        // The HTTP status 412 means that the write's condition does not hold. The status 409 means that another write of the same key is in
        // progress. The status 404 means that the object to replace no longer exists.
        catch (AmazonS3Exception e) when (e.StatusCode is HttpStatusCode.PreconditionFailed or HttpStatusCode.Conflict
            || (e.StatusCode == HttpStatusCode.NotFound && e.ErrorCode == "NoSuchKey"))
        {
            return false;
        }
        catch (Exception e) when (IsFailure(e, cancellationToken))
        {
            throw Failed(e);
        }
    }
}
