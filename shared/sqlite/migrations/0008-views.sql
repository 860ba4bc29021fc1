-- Views are added to drops and their days as they are recorded. Those that wait are added now: a record whose
-- views_batch has reached the number of the open batch has its views already. Nothing else reads views_batch any more.
UPDATE drops SET view_count = view_count + added.count
FROM (
  SELECT drop_id, sum(c.count) AS count FROM view_counts c JOIN drops d ON d.id = c.drop_id
  WHERE c.batch = 0 OR c.batch > d.views_batch
  GROUP BY drop_id
) AS added
WHERE drops.id = added.drop_id;

INSERT INTO day_views (drop_id, day, count, views_batch)
SELECT c.drop_id, c.day, sum(c.count), 0
FROM view_counts c JOIN drops d ON d.id = c.drop_id
  LEFT JOIN day_views v ON v.drop_id = c.drop_id AND v.day = c.day
WHERE c.batch = 0 OR c.batch > coalesce(v.views_batch, 0)
GROUP BY c.drop_id, c.day
ON CONFLICT (drop_id, day) DO UPDATE SET count = count + excluded.count;

DROP TABLE view_counts;
DROP TABLE view_batch;
DROP TABLE view_writers;
