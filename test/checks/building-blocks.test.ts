import { expect } from 'chai';
import * as requests from '../../api/http/validate.ts';
import * as tools from '../../api/mcp/arguments.ts';
import * as answers from '../../api/openapi/shape.ts';
import * as client from '../../cli/guards.ts';
import * as settings from '../../shared/config/validators.ts';
import * as records from '../../shared/domain/record.ts';

/** Each says what "a text" or "one of these" is, with other arguments and another result. */
const modules = { answers, requests, tools, client, settings, records };

describe('What settings, records, requests, answers, tools and the client are declared with', () => {
  it('has a name of its own in each', () => {
    const names = Object.values(modules).flatMap((module) => Object.keys(module));
    const repeated = names.filter((name, i) => names.indexOf(name) !== i);
    expect(repeated).to.deep.equal([]);
  });
});
