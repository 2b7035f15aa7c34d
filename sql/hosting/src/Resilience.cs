using Polly;
using Polly.CircuitBreaker;
using Polly.Retry;
using Polly.Timeout;

namespace Optiks.Storage.Hosting;

/// <summary>
/// Retries one kind of database work. After a <see cref="StorageUnavailableException"/>, this class waits for a random delay before each
/// retry, so that hosts do not retry at the same time. After repeated failures it opens a circuit: for a while it sends nothing to the
/// database, so that a starting database is not overloaded and callers get an error at once. A time limit bounds all attempts together.
/// A call that fails for any of these reasons throws <see cref="StorageUnavailableException"/>. Thread-safe.
/// </summary>
internal sealed class Resilience
{
    // The largest number of retries. Their delays are about 0.1, 0.2, 0.4 and 0.8 s, so callers do not notice a database restart that takes
    // one second.
    private const int Retries = 4;
    private static readonly TimeSpan s_firstDelay = TimeSpan.FromMilliseconds(100);

    // The number of failures that open the circuit. The failed attempts of a single caller are enough, if no other work succeeded during
    // that time.
    private const int FailuresToOpen = Retries + 1;
    private const double FailureRatio = 0.5;
    private static readonly TimeSpan s_sampling = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_open = TimeSpan.FromSeconds(2);

    // The time limit for all attempts together. It is long enough that one wait for a lock on the server can end with the server's own
    // error, which names the reason. It is shorter than a host's limit for stopping.
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    private readonly ResiliencePipeline _pipeline;

    public Resilience(string operation, ResilienceMetrics metrics)
    {
        var circuit = new CircuitBreakerStateProvider();
        var transient = new PredicateBuilder().Handle<StorageUnavailableException>();
        _pipeline = new ResiliencePipelineBuilder()
            .AddTimeout(s_limit)
            .AddRetry(new RetryStrategyOptions
            {
                ShouldHandle = transient,
                MaxRetryAttempts = Retries,
                Delay = s_firstDelay,
                BackoffType = DelayBackoffType.Exponential,
                UseJitter = true,
                OnRetry = _ =>
                {
                    metrics.Retried(operation);
                    return default;
                },
            })
            .AddCircuitBreaker(new CircuitBreakerStrategyOptions
            {
                ShouldHandle = transient,
                FailureRatio = FailureRatio,
                MinimumThroughput = FailuresToOpen,
                SamplingDuration = s_sampling,
                BreakDuration = s_open,
                StateProvider = circuit,
                OnOpened = _ =>
                {
                    metrics.Opened(operation);
                    return default;
                },
            })
            .Build();
        metrics.Observe(operation, circuit);
    }

    /// <summary>Runs the work, and repeats it after temporary failures.</summary>
    public async Task<T> RunAsync<T>(Func<CancellationToken, Task<T>> work, CancellationToken cancellationToken)
    {
        bool wasAsked = false;
        try
        {
            return await _pipeline.ExecuteAsync(
                async cancel =>
                {
                    wasAsked = true;
                    return await work(cancel);
                },
                cancellationToken);
        }
        catch (BrokenCircuitException e)
        {
            throw new StorageUnavailableException("The database has failed repeatedly; the service waits before it asks again.",
                e)
            { RetryAfter = wasAsked ? null : e.RetryAfter ?? s_open };
        }
        catch (TimeoutRejectedException e)
        {
            throw new StorageUnavailableException($"The database did not answer within {s_limit.TotalSeconds} s.", e);
        }
    }
}
