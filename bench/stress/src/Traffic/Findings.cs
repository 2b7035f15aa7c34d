using System.Collections.Concurrent;

namespace Optiks.Stress.Traffic;

/// <summary>Counts the verified answers, and the wrong answers among them. Any thread may use it.</summary>
internal sealed class Findings
{
    private const int MostExamples = 20;
    private long _answers;
    private long _verified;
    private long _failed;

    public long Answers => Interlocked.Read(ref _answers);

    public long Verified => Interlocked.Read(ref _verified);

    public long Failed => Interlocked.Read(ref _failed);

    /// <summary>Descriptions of the first few wrong answers.</summary>
    public ConcurrentQueue<string> Examples { get; } = new();

    public void Unverified() => Interlocked.Increment(ref _answers);

    /// <summary>Counts a verified answer. The parameter <paramref name="complaint"/> says what is wrong with the answer; it is null if the
    /// answer is correct.</summary>
    public void Add(string? complaint)
    {
        Interlocked.Increment(ref _answers);
        Interlocked.Increment(ref _verified);
        if (complaint is not null && Interlocked.Increment(ref _failed) <= MostExamples)
        {
            Examples.Enqueue(complaint);
        }
    }
}
