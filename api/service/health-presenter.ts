import { exactly, fields, named, type Wire } from '../openapi/shape.ts';

export const healthShape = named('Health', fields({ status: exactly('All is well.', 'ok') }));

export const healthy: Wire<typeof healthShape> = { status: 'ok' };
