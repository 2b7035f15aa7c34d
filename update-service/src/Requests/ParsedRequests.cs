namespace Optiks.UpdateService.Requests;

/// <summary>ParsedRequests is a body of <c>POST /v1/updates</c> or <c>/v1/users</c> that obeys every rule that needs no database.</summary>
/// <param name="IsList">Whether the body is a list; its answer is one too.</param>
/// <param name="Requests">The elements in order; exactly one unless the body is a list.</param>
internal sealed record ParsedRequests(bool IsList, IReadOnlyList<ParsedRequest> Requests);
