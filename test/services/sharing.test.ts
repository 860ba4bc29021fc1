import { expect } from 'chai';
import { sampleDrop } from '../../api/drops/operations.ts';
import { applySharing } from '../../shared/drops/sharing.ts';

const named = { access: 'named', people: ['a@x.org', 'b@x.org'] } as const;

describe('What a change makes of who may read a drop', () => {
  for (const [title, drop, changes, settled] of [
    ['nothing of it: other fields alone', named, { title: 'T' }, { title: 'T' }],
    ['named stays without a list of its own', named, { access: 'named' }, { access: 'named' }],
    ['link leaves the list behind', named, { access: 'link' }, { access: 'link', people: null }],
    [
      'members, too, also where there was none',
      sampleDrop,
      { access: 'members' },
      { access: 'members', people: null },
    ],
    ['an empty list is none', named, { people: [] }, { people: null }],
    [
      'null is none, and can be added to',
      named,
      { people: null, peopleAdd: ['c@x.org'] },
      { people: ['c@x.org'] },
    ],
    ['the last one is removed', named, { peopleRemove: [...named.people] }, { people: null }],
    [
      'removed wins over added',
      named,
      { peopleAdd: ['c@x.org'], peopleRemove: ['c@x.org'] },
      { people: [...named.people] },
    ],
  ] as const)
    it(title, () => {
      expect(applySharing(changes, drop)).to.deep.equal(settled);
    });
});
