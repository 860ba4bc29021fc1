import { expect } from 'chai';
import { checkDocument } from '../../shared/page-checks/check-document.ts';
import { checkPage, scanPage } from '../../shared/page-checks/page-checks.ts';
import { findSecrets } from '../../shared/page-checks/secrets.ts';
import { largestPage, ordinaryPages } from '../support/hostile-pages.ts';

const now = Date.UTC(2026, 10, 23);

describe('looking at a hostile document', () => {
  const check = (page: string) => checkDocument({ html: Buffer.from(page), context: null }, now);

  it('ordinary documents of 2 MB are looked at whole, and what is at their end is found', () => {
    for (const [name, page] of ordinaryPages(largestPage)) {
      expect(check(page).isWhole, name).to.equal(true);
      const end = `</script><img src="chart.png"><p onclick="localStorage.x">ghp_q7Wz8RtY2uIo4PaS6dFg1hJk3LzX5cVb7nM0`;
      const found = check(page + end);
      expect([...found.files], name).to.deep.equal(['chart.png']);
      expect([...found.storage.keys()], name).to.deep.equal(['localStorage']);
      expect(found.secrets, name).to.have.length(1);
    }
  });

  it('which is made of near matches is not looked at whole, and the client says so', () => {
    const page = '<img src=//a>'.repeat(150_000);
    expect(check(page).isWhole).to.equal(false);
    expect(checkPage(page).warnings.join()).to.include('not looked at whole');
    expect(check('<img src=//a>'.repeat(1_000)).isWhole).to.equal(true);
    expect(
      checkDocument({ html: Buffer.from('<p>x'), context: Buffer.from('/sk-'.repeat(500_000)) }, now).isWhole,
    ).to.equal(false);
  });

  it('ten secrets are found among many, the first of all kinds, with their lines', () => {
    const kinds = [
      'password = "Qz7bcd9fhj"',
      'postgres://app:Qz7bcd9fhj@db.internal/app',
      'ghp_q7Wz8RtY2uIo4PaS6dFg1hJk3LzX5cVb7nM0',
    ];
    const found = findSecrets(kinds.join('\n').concat('\n').repeat(1_000), now);
    expect(found.map(({ line }) => line)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('a tag whose name contains `<` is one tag, as in a browser', () => {
    expect([...scanPage(`${'<a'.repeat(30_000)} src="x.png">`).files]).to.deep.equal(['x.png']);
    expect([...scanPage('<a<img src="x.png">').files]).to.deep.equal(['x.png']);
    expect(scanPage('<a<script>localStorage.x</script>').storage.size).to.equal(0);
  });
});
