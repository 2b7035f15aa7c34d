using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Sends random requests about a few users, usernames and devices, so that most rules are used. After every epoch, the task must have made
/// the same decisions and device lists as the model in <see cref="LogModel"/>.
/// </summary>
public sealed class UserHistoryTests
{
    private const ushort MaxDevices = 2;

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, false)]
    [InlineData(3, true)]
    public async Task A_random_history_is_decided_as_the_model_says(int seed, bool reusesUsernames)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        // The seed is fixed, so that every run makes the same history and a failure can be reproduced.
        var random = new Random(seed);
        var updates = new Updates(folder);
        var model = new LogModel(MaxDevices, reusesUsernames);
        var met = new HashSet<RefusalReason>();
        for (int start = 0; start < 4; start++)
        {
            await using TaskHost task = await StartAsync(folder, reusesUsernames);
            AssertLists(task, model);
            for (int round = 0; round < 12; round++)
            {
                await updates.AcceptAsync([.. Enumerable.Range(0, random.Next(1, 8)).Select(_ => RandomRequest(random, reusesUsernames))]);
                while (await task.Store.CountPendingAsync(TestContext.Current.CancellationToken) > 0)
                {
                    await task.StepAsync();
                    IReadOnlyList<(AcceptRequest, RequestStatus Status)> decided = await DecidedAsync(updates, task.Session.Last.Epoch);
                    model.Decide(task.Session.Last.Epoch, decided);
                    met.UnionWith(decided.Where(pair => pair.Status.Refusal is not null).Select(pair => pair.Status.Refusal!.Reason));
                    AssertLists(task, model);
                }
            }
            await EndAsync(folder, task, start);
        }
        await HistoryCheck.RunAsync(folder, updates);
        RefusalReason[] all =
        [
            RefusalReason.ExpectedVersion, RefusalReason.UserLeft, RefusalReason.UserExists, RefusalReason.UserUnknown,
            RefusalReason.UsernameTaken, RefusalReason.DeviceTaken,
            RefusalReason.DeviceUnknown, RefusalReason.DeviceLimit,
        ];
        Assert.Equal(all, met.Order());
    }

    private static Task<TaskHost> StartAsync(TestFolder folder, bool reusesUsernames) => TaskHost.StartAsync(
        folder,
        log: options =>
        {
            options.MaxDevices = MaxDevices;
            options.UsernameReuse = reusesUsernames;
        });

    // Ends the task so that the next start uses a current snapshot, an older snapshot and the later epochs, or only the database.
    private static async Task EndAsync(TestFolder folder, TaskHost task, int start)
    {
        if (start == 0)
        {
            await task.Session.FinishAsync(TestContext.Current.CancellationToken);
        }
        await task.DisposeAsync();
        if (start == 2)
        {
            Directory.Delete(folder.Data.Task, recursive: true);
        }
    }

    private static async Task<IReadOnlyList<(AcceptRequest, RequestStatus)>> DecidedAsync(Updates updates, ulong epoch)
    {
        await using IAcceptStore store = await updates.OpenAsync();
        var decided = new List<(AcceptRequest, RequestStatus)>();
        foreach (AcceptRequest request in updates.Accepted)
        {
            RequestStatus? status = await store.ReadStatusAsync(request.RequestId, TestContext.Current.CancellationToken);
            if (status!.State != RequestState.Pending && status.Epoch == epoch)
            {
                decided.Add((request, status));
            }
        }
        return decided;
    }

    private static void AssertLists(TaskHost task, LogModel model)
    {
        string[] users = [.. Enumerable.Range(0, 5).Select(i => $"user {i}")];
        using var keys = new ByteStrings();
        foreach (string user in users)
        {
            keys.Add(Encoding.Latin1.GetBytes(user));
        }
        Assert.Equal(users.Select(model.ListOf),
            task.Session.Directory.NewestValues(StructureId.Devices, keys).Select(list => list?.ToArray()));
    }

    private static AcceptRequest RandomRequest(Random random, bool reusesUsernames)
    {
        if (random.Next(5) == 0)
        {
            // Returns a plain update of one key, which may be a device's key.
            ExpectedVersion? expected = random.Next(2) == 0 ? new ExpectedVersion(0, (ulong)random.Next(3)) : null;
            return Updates.Request(Updates.Item($"device {random.Next(24)}", $"plain {random.Next()}", expected));
        }
        // If the log reassigns usernames, the test uses more users than in other logs, and more users leave.
        var update = UserUpdate.Of($"user {random.Next(reusesUsernames ? 12 : 5)}");
        if (random.Next(reusesUsernames ? 20 : 60) == 0)
        {
            return update.Decommission().Request();
        }
        if (random.Next(3) == 0)
        {
            update.Create($"name {random.Next(reusesUsernames ? 4 : 20)}");
        }
        int[] devices = [.. Enumerable.Range(0, 24)];
        random.Shuffle(devices);
        int changes = random.Next(1, 4);
        for (int i = 0; i < changes; i++)
        {
            string device = $"device {devices[i]}";
            _ = random.Next(6) switch
            {
                0 => update.SetDevice(device, $"set {random.Next()}", random.Next(4) == 0 ? new ExpectedVersion(0, 1) : null),
                1 => update.RemoveDevice(device),
                2 => update.AddUsername($"name {20 + (random.Next(7) * 3) + i}"),
                _ => update.AddDevice(device, $"value {random.Next()}"),
            };
        }
        return update.Request();
    }
}
