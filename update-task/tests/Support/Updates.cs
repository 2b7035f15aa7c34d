using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Accepts updates as the update-service does, and remembers the accepted requests. Each request in <see cref="Accepted"/> must later be
/// published exactly once, or be refused.
/// </summary>
internal sealed class Updates
{
    private readonly TestFolder _folder;
    private readonly List<AcceptRequest> _accepted = [];

    public Updates(TestFolder folder) => _folder = folder;

    public IReadOnlyList<AcceptRequest> Accepted => _accepted;

    public static AcceptItem Item(string key, string value, ExpectedVersion? expected = null) =>
        new(StructureId.Keys, Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(value), expected);

    public static AcceptRequest Request(params AcceptItem[] items) =>
        new(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), RandomNumberGenerator.GetBytes(32), items);

    /// <summary>Accepts the given requests in their order, in one transaction.</summary>
    public async Task AcceptAsync(params AcceptRequest[] requests)
    {
        await using IAcceptStore store = await _folder.OpenAcceptAsync();
        IReadOnlyList<AcceptResult> results =
            await store.AcceptAsync([.. requests.Select(request => new AcceptUnit([request]))], TestContext.Current.CancellationToken);
        Assert.All(results, result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        _accepted.AddRange(requests);
    }

    public Task<IAcceptStore> OpenAsync() => _folder.OpenAcceptAsync();

    public Task AcceptAsync(string key, string value) => AcceptAsync(Request(Item(key, value)));

    public async Task<RequestStatus> StatusAsync(AcceptRequest request)
    {
        await using IAcceptStore store = await _folder.OpenAcceptAsync();
        RequestStatus? status = await store.ReadStatusAsync(request.RequestId, TestContext.Current.CancellationToken);
        Assert.NotNull(status);
        return status;
    }
}
