/** Numbers that look random and are the same for the same seed (mulberry32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const english =
  'revenue orders region north south growth week number total fell rose by the of in and a with report cost plan risk';
const arabic = 'الإيرادات الطلبات المنطقة الشمال النمو الأسبوع الرقم المجموع في من على تقرير التكلفة الخطة';
const hebrew = 'הכנסות הזמנות אזור צפון צמיחה שבוע מספר סך הכל של עם דוח עלות תכנית סיכון';
const chinese = '收入 订单 地区 北方 增长 周 数字 总计 下降 上升 报告 成本 计划 风险';
const emoji = 'up 📈 down 📉 flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 family 👨‍👩‍👧 e\u0301 na\u00efve';

const otherScripts = [
  'выручка заказы регион север рост неделя отчёт стоимость «план» риск ещё',
  'έσοδα παραγγελίες περιοχή βορράς ανάπτυξη εβδομάδα αναφορά κόστος σχέδιο κίνδυνος',
  'राजस्व आदेश क्षेत्र उत्तर वृद्धि सप्ताह रिपोर्ट लागत योजना जोखिम',
  'รายได้ คำสั่งซื้อ ภูมิภาค เหนือ การเติบโต สัปดาห์ รายงาน ต้นทุน แผน ความเสี่ยง',
  '売上 注文 地域 北部 成長 週 レポート コスト 計画 リスク ガイド',
  '매출 주문 지역 북부 성장 주간 보고서 비용 계획 위험',
] as const;
/** What typographers and input methods write in several ways. */
const variants = 'fi "final" “office” it’s don\'t re-use re–use cafe\u0301 café ﬁne Ａ１ ½ 10² naïve Ærø';

/** Two of two hundred have 2 MB. */
export function isLarge(number: number): boolean {
  return number % 100 === 50;
}

/** One document of each kind after the other. @param number of the document */
export function makeDocument(seed: number, number: number): string {
  const random = createRandom(seed * 1_000 + number);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T; // proof: an index of the list
  const words = (count: number, from = english) =>
    Array.from({ length: count }, () => (random(6) === 0 ? String(random(50)) : pick(from.split(' ')))).join(
      ' ',
    );
  const many = (most: number, make: (index: number) => string) =>
    Array.from({ length: 3 + random(most) }, (_, index) => make(index)).join('');
  const paragraph = (from = english) => `<p>${words(5 + random(60), from)}.</p>\n`;
  const template = (index: number) =>
    `<p>Revenue in ${pick(['North', 'South', 'East', 'West'])} ${index} rose by ${random(9)}% compared with the same week of last year, which is what was planned.</p>`;
  const table = (spaced: string) =>
    `<table><thead><tr><th>Month<th>Visits<th>Share</tr></thead><tbody>${many(30, () => `<tr>${spaced}<td>${pick(['Jan', 'Feb', 'Mar', 'Apr'])}</td>${spaced}<td>${random(20)}</td>${spaced}<td>${random(9)}%</td>${spaced}</tr>`)}</tbody></table>`;
  const nested = () =>
    `<div><p>${words(3)} <b>${words(2)}<i> ${words(1)}</i></b>${words(4)} <span><span>${words(1)}</span></span><a href="#x">${words(2)}</a>.<br>${words(3)}<br>${words(2)}</p></div>`;
  const drawn = `<h1>Chart</h1><div id="chart"></div><svg width="300" height="80"></svg>${paragraph()}<script>
setTimeout(() => {
  const values = ${JSON.stringify(Array.from({ length: 12 }, () => random(30)))};
  for (const value of values) {
    const row = document.createElement('p');
    row.append('Bar of ', value, ' units');
    document.getElementById('chart').append(row);
    const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    text.textContent = value + '%';
    document.querySelector('svg').append(text);
  }
}, 1);
</script>`;
  const kinds: (() => string)[] = [
    () => `<h1>${words(3)}</h1>${many(20, () => paragraph())}`,
    () => many(25, template),
    () => `<h2>${words(2)}</h2>${table('')}`,
    () => `${table('\n  ')}<h2>${words(2)}</h2>${table('')}`,
    () => `<div dir="rtl">${many(15, () => paragraph(random(2) ? arabic : hebrew))}</div>`,
    () => many(12, nested),
    () => drawn,
    () =>
      many(
        15,
        () => `<p>${words(3)} &amp; &lt;b&gt; &nbsp; &#8212; &shy;${words(3)}&zwnj; ${words(2, emoji)}</p>`,
      ),
    () =>
      `<pre>${many(40, () => `${words(4)}    = ${random(100)};\n`)}</pre><pre><code>${words(30)}</code></pre>`,
    () =>
      `<ul>${many(20, () => `<li>${words(1 + random(4))}</li>`)}</ul><ol>${many(9, () => `<li>${random(9)}</li>`)}</ol>`,
    () =>
      `${many(10, () => paragraph(chinese))}<details><summary>${words(2)}</summary>${paragraph()}</details>`,
    () => {
      const same = [paragraph(), paragraph(), template(1)];
      return many(25, () => pick(same));
    },
  ];
  kinds.push(
    () => many(12, () => paragraph(pick(otherScripts))) + table(''),
    () => {
      const titles = Array.from({ length: 3 + random(5) }, () => words(1 + random(2)));
      const entries = titles.map((title) => `<li><a href="#x">${title}</a></li>`).join('');
      return `<ul>${entries}</ul>${titles.map((title) => `<h2>${title}</h2>${paragraph()}`).join('')}`;
    },
    () => many(10, () => paragraph(variants)),
  );
  const body = isLarge(number)
    ? Array.from({ length: 6_000 }, (_, index) => template(index) + nested())
        .join('\n')
        .slice(0, 2_000_000)
    : (kinds[number % kinds.length] as () => string)(); // proof: an index of the list
  return `<!doctype html><title>Document ${number}</title><style>p{margin:1em}</style><body>${body}`;
}
