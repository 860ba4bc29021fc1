import { trimEndOf } from '../util/trim.ts';
import { type Identity, localIdentity } from './account.ts';

/** Longer texts are no names. */
const typedMaxLength = 200;

/** Letters of Latin script that NFKD does not lead to ASCII, in lower case. */
const latin: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  þ: 'th',
  ŧ: 't',
};

/**
 * The local account that somebody means who typed this: a name as it is, or what becomes of `María López`: `maria-lopez`. null: none,
 * also if it has another script, a symbol or too many letters, because nothing of a name may get lost.
 */
export function deriveLocalIdentity(typed: string): Identity | null {
  return localIdentity(typed) ?? localIdentity(derive(typed));
}

function derive(typed: string): string {
  if (typed.length > typedMaxLength) return '';
  const plain = typed
    .trim()
    .normalize('NFKD')
    .replace(/[\p{M}'’ʼ]/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðħıłŋþŧ]/g, (letter) => latin[letter] ?? letter);
  if (!/^[a-z0-9][a-z0-9\s.,@_-]*$/.test(plain)) return '';
  return trimEndOf(plain.replace(/[\s,@-]+/g, '-').replace(/\.-/g, '-'), '._-');
}
