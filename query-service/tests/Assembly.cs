[assembly: AssemblyFixture(typeof(Optiks.QueryService.Tests.PublishedLog))]
