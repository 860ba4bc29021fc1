import type { Connection, ConnectOptions } from 'mongoose';

/** Of the driver, while people wait for the answer. The address of the database may say otherwise. */
export const bounds: ConnectOptions = {
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 2_500,
  waitQueueTimeoutMS: 2_000,
  wtimeoutMS: 2_000,
};

/** For a command that may take for ever, as building an index does. */
export const patience: ConnectOptions = {
  serverSelectionTimeoutMS: 4_000,
  connectTimeoutMS: 4_000,
};

/** For what nobody waits for: batches, and deletes of many megabytes. */
export const backgroundMs = 60_000;

/** A free connection, a command that met another one, a second command: beside the wait for one answer. */
const besideMs = 1_500;

/**
 * How long a store's method may take, in milliseconds: what the driver waits for one answer, and a little. An operator
 * who allows a slow database more (`socketTimeoutMS` in its address) is not cut short here.
 */
export function answerMs(connection: Connection): number {
  const { socketTimeoutMS = 0 } = connection.getClient().options;
  return socketTimeoutMS === 0 ? backgroundMs : socketTimeoutMS + besideMs;
}
