// Calls every operation of both services by generated clients, which parse each answer. Environment: QUERY_URL, UPDATE_URL, API_KEY. Prints
// the names of the operations called; exit code 1 says which were not called.
using System.Net.Http.Headers;
using System.Reflection;
using System.Text.Json;
using Optiks.OpenApi.Query;
using Optiks.OpenApi.Update;
using Query = Optiks.OpenApi.Query;
using Update = Optiks.OpenApi.Update;

static string Setting(string name) =>
    Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException($"{name} is not set.");

static void Check(bool isRight, string what)
{
    if (!isRight)
    {
        throw new InvalidOperationException($"Not so: {what}");
    }
}

using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("API_KEY"));
var query = new QueryServiceClient(http) { BaseUrl = Setting("QUERY_URL") };
var update = new UpdateServiceClient(http) { BaseUrl = Setting("UPDATE_URL") };
var called = new HashSet<string>();

async Task<T> Call<T>(string operation, Task<T> answer)
{
    called.Add(operation);
    return await answer;
}

// Repeats a request while the replica does not serve the epoch yet.
async Task<T> CaughtUp<T>(string operation, Func<Task<T>> ask)
{
    while (true)
    {
        try
        {
            return await Call(operation, ask());
        }
        catch (Query.ApiException<Query.Problem> e) when (e.StatusCode == 503)
        {
            await Task.Delay(50);
        }
    }
}

async Task<string> Refused<T>(string operation, Task<T> answer)
{
    called.Add(operation);
    try
    {
        await answer;
    }
    catch (Query.ApiException<Query.Problem> e)
    {
        return e.Result.Type.ToString();
    }
    catch (Update.ApiException<Update.Problem> e)
    {
        return e.Result.Type.ToString();
    }
    throw new InvalidOperationException($"{operation} was not refused.");
}

string name = $"dave-{Environment.ProcessId}";
Accepted accepted = await Call(
    "PostUpdates", update.PostUpdatesAsync(new Updates { AdditionalProperties = { ["key"] = name, ["value"] = "one" } }));
var id = Guid.Parse(accepted.AdditionalProperties["request_id"].ToString()!);
Status status = await Call("GetUpdate", update.GetUpdateAsync(id, 60));
Check(status is { Status1: Status1.Published, Epoch: > 0 } && status.Items.Single().Version == 1, "the update is published as version 1");
Check(await Refused("PostUpdates", update.PostUpdatesAsync(new Updates())) == nameof(Update.ProblemType.UrnOptiksProblemMalformedRequest),
    "an empty update is malformed");
long epoch = status.Epoch;
AcceptedUsers created = await Call("PostUsers", update.PostUsersAsync(new Users
{
    AdditionalProperties = { ["changes"] = new[] { new { op = "create", usernames = new[] { $"{name} user" },
        devices = new[] { new { device = $"{name} phone", value = "one" } } } } },
}));
Status made = await Call("GetUpdate", update.GetUpdateAsync(Guid.Parse(created.AdditionalProperties["request_id"].ToString()!), 60));
Check(made is { Status1: Status1.Published } && made.Items.Count == 3, "the user is published with list, username and device");
Check(await Refused("PostUsers", update.PostUsersAsync(new Users())) == nameof(Update.ProblemType.UrnOptiksProblemMalformedRequest),
    "changes of nobody are malformed");

LookupAnswer found = await CaughtUp(
    "Lookup", () => query.LookupAsync(null, epoch, null, new LookupQueries { AdditionalProperties = { ["key"] = name } }));
UserLookupAnswer person = await CaughtUp("UserLookup",
    () => query.UserLookupAsync(null, made.Epoch, null, new UserQueries { AdditionalProperties = { ["username"] = $"{name} user" } }));
Check(person.Users.Single().Keys.Count == 1, "the user has one device");
string userId = created.AdditionalProperties["user_b64"].ToString()!;
UserMonitorAnswer own = await Call(
    "UserMonitor",
    query.UserMonitorAsync(null, made.Epoch, null, null,
        new UserMonitorQuery { User_b64 = userId, Usernames = [$"{name} user"], From = 1 }));
Check(own.Names.Count == 1 && own.Keys.Count == 1, "the owner is shown the name and the key");
AcceptedErasures gone = await Call("PostErasures",
    update.PostErasuresAsync(new Erasures { AdditionalProperties = { ["key"] = name, ["period"] = 0, ["from"] = 1, ["to"] = 1 } }));
ErasureStatus kept = await Call("GetErasure", update.GetErasureAsync(Guid.Parse(gone.AdditionalProperties["request_id"].ToString()!), 60));
Check(kept.Reason == ErasureStatusReason.LatestVersion, "the latest version is not erased");
Check(found.Lookups.Single() is { Version: 1 } lookup && lookup.Members.Single().Value == "one", "the key has the value");
Check((await Call("LookupOne", query.LookupOneAsync(name, null, epoch, null))).Lookups.Single().Version == 1, "the key has one version");
var versions = new VersionsQueries { AdditionalProperties = { ["key"] = name } };
Check((await Call("History", query.HistoryAsync(null, epoch, null, null, versions))).Versions.Single().Members.Count == 1,
    "history lists one version");
Check((await Call("Monitor", query.MonitorAsync(null, epoch, null, null, versions))).Versions.Single().Absent.Count > 0,
    "monitoring proves that there is no other");
Check((await Call("LatestEpoch", query.LatestEpochAsync(null, epoch))).Record_fields.Epoch >= epoch, "the latest epoch is no earlier");
Check((await Call("Epoch", query.EpochAsync(epoch, null))).Structures.Count == 4, "a record has four structures");
Check((await Call("AuditProof", query.AuditProofAsync($"0-{epoch}", null))).Records.Count == epoch + 1, "a proof has all records");
Check(await Refused("Epoch", query.EpochAsync(1L << 50, null)) == nameof(Query.ProblemType.UrnOptiksProblemNotFound),
    "there is no such epoch");
Check((await Call("Periods", query.PeriodsAsync(0, null, epoch))).Bounds.First().Record_fields.Epoch == 0,
    "the first period begins with epoch 0");
Check((await Call("Configuration", query.ConfigurationAsync())).Max_key_len == 255, "keys have 255 octets");
Check((await Call("Cosignatures", query.CosignaturesAsync())).Checkpoints.Count == 0, "nobody cosigns");

string note = await Call("Checkpoint", query.CheckpointAsync());
int width = int.Parse(note.Split('\n')[1], System.Globalization.CultureInfo.InvariantCulture);
using (Query.FileResponse tile = await Call("PartialTile", query.PartialTileAsync(0, "000", width)))
using (Query.FileResponse entries = await Call("PartialEntries", query.PartialEntriesAsync("000", width)))
using (Query.FileResponse proof = await Call("AuditFile", query.AuditFileAsync("001")))
{
    foreach (Query.FileResponse file in (Query.FileResponse[])[tile, entries, proof])
    {
        Check(file.StatusCode == 200 && file.Stream.ReadByte() >= 0, "a file is given");
    }
}
// The query-service refuses this request, because a log of few epochs has no full tile.
_ = await Refused("Tile", query.TileAsync(0, "000"));
_ = await Refused("Entries", query.EntriesAsync("000"));

Check((await Call("Live", query.LiveAsync())).Status == Query.HealthStatus.Healthy
    && (await Call("Ready", query.ReadyAsync())).Status == Query.HealthStatus.Healthy, "the query-service is well");
Check((await update.LiveAsync()).Status == Update.HealthStatus.Healthy && (await update.ReadyAsync()).Status == Update.HealthStatus.Healthy,
    "the update-service is well");
_ = await Call("Openapi", query.OpenapiAsync());
_ = await update.OpenapiAsync();

string[] all = [.. ((Type[])[typeof(QueryServiceClient), typeof(UpdateServiceClient)])
    .SelectMany(client => client.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly))
    .Where(method => method.Name.EndsWith("Async", StringComparison.Ordinal)).Select(method => method.Name[..^"Async".Length]).Distinct()];
Console.WriteLine(JsonSerializer.Serialize(called));
string[] missing = [.. all.Except(called)];
if (missing.Length > 0)
{
    await Console.Error.WriteLineAsync($"Not called: {string.Join(", ", missing)}");
    return 1;
}
return 0;
