using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>Says how the first try to answer a request ended (<see cref="AnswerRequest.TryWriteAtOnce"/>).</summary>
/// <param name="IsWritten">Whether the answer is written. If not, and there is no refusal, the answer needs the queue of proofs.</param>
/// <param name="Items">The number of keys, usernames and device lists that the answer shows. The caller's rate is charged for them even if
/// the request is refused.</param>
/// <param name="Refusal">The exception that refuses the request; null if the request can be answered.</param>
internal readonly record struct FirstTry(bool IsWritten, int Items, ProblemException? Refusal);
