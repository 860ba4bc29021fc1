import { object } from 'yup';
import type { Services } from '../../shared/open-services.ts';
import { createDropBodyReaders } from '../drops/requests.ts';
import { validate } from '../http/validate.ts';
import { slug } from './arguments.ts';
import { dropResult } from './results.ts';
import { type Arguments, defineTool, type Tool } from './tool.ts';

/** The tools that change a drop without a document. */
export function changingTools({ drops, config }: Services): readonly Tool[] {
  const bodies = createDropBodyReaders(config);
  const targetOf = (args: Arguments) => ({ ...validate(object({ slug }), args, 'arguments'), revs: null });

  const setPasscode = defineTool({
    name: 'set_passcode',
    title: 'Lock or unlock a page',
    description:
      'Sets or changes the passcode that viewers must enter. An empty one unlocks the page: ask the user first.',
    effect: 'sets',
    cost: 'change',
    input: object({ slug, ...bodies.schemas.passcode.fields }),
    async run(caller, args) {
      const drop = await drops.setPasscode(caller, targetOf(args), bodies.readPasscode(args));
      return dropResult(drop, config.BASE_URL);
    },
  });

  const remove = defineTool({
    name: 'delete_drop',
    title: 'Delete a page',
    description: 'Deletes a drop with all its versions. This cannot be undone: ask the user first.',
    effect: 'sets',
    cost: 'change',
    input: object({ slug }),
    async run(caller, args) {
      const target = targetOf(args);
      await drops.remove(caller, target);
      return { structured: { slug: target.slug, deleted: true } };
    },
  });

  return [setPasscode, remove];
}
