import { html } from '../html/html.ts';
import { faultNotice, type View } from './view.ts';

/** Where somebody on a service without an identity provider says who they are. */
export function localView(parts: {
  action: string;
  name: string;
  fault: { field: 'name' | 'key'; message: string } | null;
}): View {
  const { action, name, fault } = parts;
  const isFaulty = (field: string) => fault?.field === field;
  const described = (field: string) =>
    html`aria-describedby="${isFaulty(field) && 'fault '}${field}-hint"${isFaulty(field) && html` aria-invalid="true"`}`;
  const focus = (wanted: boolean) => (wanted ? html` autofocus` : null);
  const keyNext = isFaulty('key');
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p class="soft">Pick a name, and prove with the sign-in key that this service is yours.</p>
<form method="post" action="${action}">
${faultNotice(fault?.message ?? null)}
<label for="name">Name</label>
<input id="name" name="name" type="text" value="${name}" maxlength="60" required autocomplete="username" autocapitalize="none"
  autocorrect="off" spellcheck="false" ${described('name')}${focus(!keyNext)}>
<p class="hint" id="name-hint">The same name later means the same account.</p>
<label for="key">Sign-in key</label>
<input id="key" name="key" type="password" maxlength="200" required autocomplete="current-password"
  ${described('key')}${focus(keyNext)}>
<p class="hint" id="key-hint">Whoever runs the service has it: <code>dropleaf sign-in-key</code> prints it.</p>
<button type="submit">Sign in</button>
</form>`,
  };
}
