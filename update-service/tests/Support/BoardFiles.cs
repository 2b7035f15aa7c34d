using System.Text;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>BoardFiles writes what the service reads of a board.</summary>
internal static class BoardFiles
{
    /// <summary>WriteCheckpoint writes one of this size, whose signature nobody made: nothing here verifies it.</summary>
    public static void WriteCheckpoint(string folder, int size)
    {
        string root = Convert.ToBase64String(new byte[32]);
        string signature = Convert.ToBase64String(new byte[68]);
        File.WriteAllText(Path.Combine(folder, "checkpoint"), $"test/log\n{size}\n{root}\n\n\u2014 test/log {signature}\n", new UTF8Encoding(false));
    }
}
