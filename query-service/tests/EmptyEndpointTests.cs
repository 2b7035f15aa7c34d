using System.Net;
using System.Text;
using Optiks.Protocol;
using Optiks.QueryService.Bench;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests the empty endpoint. Benchmarks compare the rate of lookups with the rate of this endpoint. It must answer like a lookup, and must
/// not be part of the product.
/// </summary>
public sealed class EmptyEndpointTests
{
    private readonly Replica _product;

    public EmptyEndpointTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _product = published.Replica;
    }

    [Fact]
    public async Task It_answers_as_many_octets_with_the_headers_of_a_lookup()
    {
        await using Replica bench = await Replica.StartAsync(_product.Log, "bench", new EmptyEndpoint().Map);
        await bench.WaitForEpochAsync((ulong)_product.Log.Records.Count - 1);
        using HttpResponseMessage lookup = await bench.SendAsync(Ask("/v1/lookup"));
        byte[] octets = await lookup.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
        Assert.NotEmpty(octets);
        using HttpResponseMessage set = await bench.SendAsync(new HttpRequestMessage(HttpMethod.Put, $"/bench/empty/{octets.Length}"));
        Assert.Equal(HttpStatusCode.NoContent, set.StatusCode);
        using HttpResponseMessage empty = await bench.SendAsync(Ask("/bench/empty"));
        Assert.Equal(new byte[octets.Length], await empty.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken));
        Assert.Equal(Headers(lookup), Headers(empty));
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("1048577")]
    [InlineData("x")]
    public async Task Other_lengths_are_refused(string length)
    {
        await using Replica bench = await Replica.StartAsync(_product.Log, "bench-lengths", new EmptyEndpoint().Map);
        Assert.Equal("{length}",
            await bench.ProblemAsync(new HttpRequestMessage(HttpMethod.Put, $"/bench/empty/{length}"), ProblemTypes.MalformedRequest));
    }

    [Fact]
    public async Task The_product_does_not_have_it()
    {
        await _product.ProblemAsync(Ask("/bench/empty"), ProblemTypes.NotFound);
        await _product.ProblemAsync(new HttpRequestMessage(HttpMethod.Put, "/bench/empty/1"), ProblemTypes.NotFound);
        await _product.OctetsAsync(Ask("/v1/lookup"));
    }

    private static HttpRequestMessage Ask(string path) =>
        Replica.Post(path, [new Query(Encoding.UTF8.GetBytes("alice"), 0, 0)], MediaTypes.Lookup);

    private static string[] Headers(HttpResponseMessage response) =>
        [.. response.Headers.Concat(response.Content.Headers).Where(header => header.Key != "Date")
            .Select(header => $"{header.Key}: {string.Join(", ", header.Value)}").Order()];
}
